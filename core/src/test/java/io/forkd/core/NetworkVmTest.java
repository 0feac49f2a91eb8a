package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.Tag;
import io.forkd.guest.GuestSocket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sandboxes have a network and ports; each its own, through forks, pauses and rollbacks. */
@org.junit.jupiter.api.Tag("vm")
class NetworkVmTest {
  private final VmLab lab = VmLab.shared();

  @AfterEach
  void cleanUp() {
    lab.killAll();
    lab.removeAllBut(Set.of(VmLab.PYTHON));
  }

  private Sandbox forkWith(Egress egress) {
    return lab.forkd()
        .fork(
            new ForkSpec(
                lab.python(),
                1,
                false,
                new ChildSpec(
                    Limits.NONE,
                    Lifetime.UNLIMITED,
                    Optional.of(egress),
                    Map.of(),
                    Optional.empty())))
        .sandboxes()
        .getFirst();
  }

  /** What the sandbox's own name server says of a name, as the status of a DNS answer. */
  private String lookUp(Sandbox sandbox) {
    return lab.eval(
        sandbox,
        """
        import socket
        q = b'\\x12\\x34\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x07example\\x03org\\x00\\x00\\x01\\x00\\x01'
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20)
        s.sendto(q, ('172.30.255.1', 53))
        s.recvfrom(512)[0][3] & 15
        """);
  }

  private boolean reaches(Sandbox sandbox, String address, int port) {
    return lab.eval(
            sandbox,
            """
            import socket
            s = socket.socket(); s.settimeout(2)
            s.connect_ex(('%s', %d))
            """
                .formatted(address, port))
        .equals("0");
  }

  @Test
  void eachSandboxHasANetworkOfItsOwnThatLeadsToNoOther() throws Exception {
    List<Sandbox> two = lab.fork(2);
    assertThat(two).allSatisfy(each -> assertThat(each.network()).isPresent());
    assertThat(two.get(0).network().orElseThrow().netns())
        .isNotEqualTo(two.get(1).network().orElseThrow().netns());
    for (Sandbox each : two) {
      assertThat(lab.sh(each, "cat /sys/class/net/eth0/operstate")).isIn("up", "unknown");
      assertThat(lab.eval(each, "open('/etc/resolv.conf').read()")).contains("172.30.255.1");
    }
    lab.sh(two.get(0), "python3 -m http.server 8000 --bind 0.0.0.0 >/dev/null 2>&1 & :");
    lab.await(() -> reaches(two.get(0), "127.0.0.1", 8000));
    assertThat(reaches(two.get(0), "172.30.255.2", 8000)).isTrue();
    assertThat(reaches(two.get(1), "172.30.255.2", 8000)).as("its own address").isFalse();
    assertThat(reaches(two.get(1), "169.254.169.254", 80)).isFalse();
    assertThat(reaches(two.get(1), "10.0.0.1", 80)).isFalse();
  }

  @Test
  void namesAreAnsweredByUsAsEgressSays() {
    Sandbox closed = forkWith(Egress.NONE);
    assertThat(lookUp(closed)).as("REFUSED").isEqualTo("5");
    Sandbox listed = forkWith(new Egress.Allowlist(List.of("other.example"), List.of()));
    assertThat(lookUp(listed)).as("REFUSED").isEqualTo("5");
    lab.reopenAfterCrash();
    assertThat(lookUp(closed)).as("a later daemon answers too").isEqualTo("5");
    lab.forkd()
        .update(
            listed.id(),
            new SandboxChange(
                Optional.empty(), Optional.empty(), Optional.of(Egress.NONE), Optional.empty()));
    assertThat(lab.forkd().sandbox(listed.id()).network().orElseThrow().egress())
        .isEqualTo(Egress.NONE);
    assertThatThrownBy(
            () -> forkWith(new Egress.Allowlist(List.of("bad domain"), List.of("10.0.0.0/99"))))
        .hasMessageContaining("bad domain");
  }

  @Test
  void aNetworkOutlivesRollbackAndPauseAndIsGoneAfterwards() {
    lab.fork(1);
    lab.killAll();
    HostTraces before = HostTraces.of(lab);
    Sandbox sandbox = forkWith(Egress.NONE);
    Snapshot checkpoint = lab.forkd().branch(sandbox.id(), BranchSpec.of(Tag.of("wired")));
    Sandbox back = lab.forkd().rollback(sandbox.id(), checkpoint.tag());
    assertThat(lookUp(back)).isEqualTo("5");
    lab.forkd().pause(back.id());
    assertThat(lab.forkd().sandbox(back.id()).network()).isEmpty();
    Sandbox resumed = lab.forkd().resume(back.id());
    assertThat(resumed.network()).isPresent();
    assertThat(lookUp(resumed)).isEqualTo("5");
    Sandbox child =
        lab.forkd().fork(new ForkSpec(Tag.of("wired"), 1, Optional.empty())).sandboxes().getFirst();
    assertThat(child.network()).isPresent();
    lab.killAll();
    lab.removeAllBut(Set.of(VmLab.PYTHON));
    lab.await(() -> HostTraces.of(lab).equals(before));
  }

  @Test
  void aPortIsReachedOverTheAgentsChannel() throws IOException {
    Sandbox sandbox = forkWith(Egress.NONE);
    lab.sh(
        sandbox,
        "mkdir -p /srv/www; echo hello > /srv/www/x; cd /srv/www;"
            + " python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & :");
    lab.await(() -> reaches(sandbox, "127.0.0.1", 8123));
    try (GuestSocket socket = lab.forkd().connect(sandbox.id(), 8123)) {
      socket.output().write("GET /x HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.output().flush();
      String answer = new String(socket.input().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).contains("200 OK").endsWith("hello\n");
    }
    assertThatThrownBy(() -> lab.forkd().connect(sandbox.id(), 8124)).hasMessageContaining("8124");
  }

  @Test
  void aGuestSeesTheCpusItMayUse() {
    Tag tag = Tag.of("four-cpus");
    lab.forkd()
        .createSnapshot(
            new SnapshotSpec(
                tag,
                new SnapshotSpec.FromRecipe("python-numpy"),
                Optional.empty(),
                Optional.of(4),
                Optional.empty(),
                SnapshotSpec.DEFAULT_BOOT_WAIT),
            (step, detail) -> {});
    Limits limits =
        new Limits(Optional.empty(), Optional.of(1.5), Optional.empty(), Optional.empty());
    Sandbox sandbox =
        lab.forkd()
            .fork(
                new ForkSpec(
                    tag,
                    1,
                    false,
                    new ChildSpec(
                        limits, Lifetime.UNLIMITED, Optional.empty(), Map.of(), Optional.empty())))
            .sandboxes()
            .getFirst();
    // The recipe sets OMP_NUM_THREADS, which nproc would believe.
    assertThat(lab.sh(sandbox, "env -u OMP_NUM_THREADS nproc")).isEqualTo("2");
    assertThat(lab.eval(sandbox, "__import__('os').cpu_count()")).isEqualTo("2");
  }
}

package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.forkd.guest.Agent;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two children of one snapshot, compared through a real overlay. */
@Tag("vm")
class CompareVmTest {
  private static final String NUMPY = "/usr/lib/python3/dist-packages/numpy";

  private final VmLab lab = VmLab.shared();

  @AfterEach
  void endSandboxes() {
    lab.killAll();
  }

  @Test
  void childrenThatDidNothingDoNotDiffer() {
    List<Sandbox> children = lab.fork(2);

    CompareGuests.Parts parts = compare(children, true);

    assertThat(parts.files()).isEmpty();
    assertThat(parts.processes().onlyA()).isEmpty();
    assertThat(parts.processes().onlyB()).isEmpty();
    assertThat(parts.processes().inA()).isGreaterThan(1);
  }

  @Test
  void whatAChildDidIsToldAndNothingElse() {
    List<Sandbox> children = lab.fork(2);
    lab.sh(
        children.get(1),
        """
        echo root2:x:0:0::/:/bin/sh >> /etc/passwd
        chmod 600 /etc/shells
        touch %1$s/__init__.py
        mkdir /root/new && printf 'a\\nb' > /root/new/text && ln -s text /root/new/link
        printf '\\001\\000' > /run/binary; echo x > /dev/shm/shared; echo t > /tmp/temporary
        before=$(find %1$s/linalg | wc -l); rm -rf %1$s/linalg; mkdir %1$s/linalg
        rm %1$s/version.py
        echo $before > /tmp/before
        sleep 1000 >/dev/null 2>&1 &
        """
            .formatted(NUMPY));
    int hidden = Integer.parseInt(lab.sh(children.get(1), "cat /tmp/before; rm /tmp/before")) - 1;

    CompareGuests.Parts parts = compare(children, true);

    Function<Difference.FileChange, Boolean> inLinalg =
        change -> change.path().startsWith(NUMPY + "/linalg/");
    assertThat(parts.files().stream().filter(inLinalg::apply))
        .hasSize(hidden)
        .allMatch(change -> change.kind() == Difference.Kind.REMOVED);
    assertThat(parts.files().stream().filter(change -> !inLinalg.apply(change)))
        .extracting(
            Difference.FileChange::path, Difference.FileChange::kind, Difference.FileChange::what)
        .containsExactly(
            tuple("/dev/shm/shared", Difference.Kind.ADDED, List.of()),
            tuple("/etc/passwd", Difference.Kind.CHANGED, List.of("content")),
            tuple("/etc/shells", Difference.Kind.CHANGED, List.of("mode")),
            tuple("/root/new", Difference.Kind.ADDED, List.of()),
            tuple("/root/new/link", Difference.Kind.ADDED, List.of()),
            tuple("/root/new/text", Difference.Kind.ADDED, List.of()),
            tuple("/run/binary", Difference.Kind.ADDED, List.of()),
            tuple("/tmp/temporary", Difference.Kind.ADDED, List.of()),
            tuple(NUMPY + "/version.py", Difference.Kind.REMOVED, List.of()));
    assertThat(unified(parts, "/etc/passwd")).endsWith("+root2:x:0:0::/:/bin/sh\n");
    assertThat(unified(parts, "/root/new/text")).contains("+a\n+b\n\\ No newline");
    assertThat(parts.processes().onlyB()).singleElement().asString().endsWith(" sleep");
    assertThat(paths(compare(children, false)))
        .as("comparing all files finds the same")
        .isEqualTo(paths(parts));
  }

  private static List<String> paths(CompareGuests.Parts parts) {
    return parts.files().stream()
        .map(change -> change.kind() + " " + change.path() + " " + change.what())
        .toList();
  }

  private static String unified(CompareGuests.Parts parts, String path) {
    return parts.files().stream()
        .filter(change -> change.path().equals(path))
        .map(change -> change.unified().orElseThrow())
        .collect(Collectors.joining());
  }

  /** The agents' lines are the daemon's, so it has to let go of them first. */
  private CompareGuests.Parts compare(List<Sandbox> children, boolean sameRoot) {
    ((HostForkd) lab.forkd()).crash();
    Duration timeout = Duration.ofMinutes(5);
    try (Agent a = Agent.open(lab.workplace(children.get(0).id()).resolve("agent.sock"));
        Agent b = Agent.open(lab.workplace(children.get(1).id()).resolve("agent.sock"))) {
      return CompareGuests.compare(
          GuestView.of(a, timeout), GuestView.of(b, timeout), sameRoot, true);
    } finally {
      lab.reopenAfterCrash();
    }
  }
}

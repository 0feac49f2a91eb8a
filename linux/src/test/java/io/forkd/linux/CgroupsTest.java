package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Cgroups.Limits;
import io.forkd.linux.Cgroups.Opening;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CgroupsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private Cgroups cgroups;

  @BeforeEach
  void open() {
    Opening opening = Cgroups.open("forkd-test-" + ProcessHandle.current().pid());
    assertThat(opening).isInstanceOf(Opening.Ready.class);
    cgroups = ((Opening.Ready) opening).cgroups();
  }

  @AfterEach
  void destroy() {
    cgroups.destroyAll();
  }

  private static Child shell(String script) {
    return Spawn.of(Path.of("/bin/sh"), List.of("-c", script)).start();
  }

  /** Runs a script that begins only when it is a member. */
  static Child startedInside(Cgroup group, String script) throws Exception {
    Path gate = Files.createTempFile("forkd", "gate");
    Child child = shell("while [ -e %s ]; do sleep 0.01; done; %s".formatted(gate, script));
    group.add(child.pid());
    Files.delete(gate);
    return child;
  }

  @Test
  void aGroupHasTheProcessesAddedAndWhatTheyStart() throws Exception {
    Cgroup group = cgroups.create("members", Limits.NONE);
    Child child = shell("while :; do sleep 0.05; done");
    group.add(child.pid());
    assertThat(group.processes()).contains(child.pid());
    group.destroy();
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Killed(9));
    assertThat(cgroups.list()).isEmpty();
    group.destroy();
  }

  @Test
  void aProcessOverTheMemoryLimitIsKilledAndCounted() throws Exception {
    assertThat(cgroups.missing()).doesNotContain(Controller.MEMORY);
    Cgroup group = cgroups.create("memory", Limits.NONE.withMemoryBytes(16 << 20));
    Child child = startedInside(group, "exec dd if=/dev/zero of=/dev/null bs=200M count=1");
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Killed(9));
    assertThat(group.stats().oomKills().orElseThrow()).isPositive();
  }

  @Test
  void countsMemoryAndProcessorTime() throws Exception {
    Cgroup group = cgroups.create("stats", Limits.NONE.withCpus(1.5).withPidsMax(50));
    Child child = shell("while :; do :; done");
    group.add(child.pid());
    while (group.stats().cpu().orElseThrow().toMillis() < 20) {
      Thread.sleep(5);
    }
    assertThat(group.stats().memoryBytes().orElseThrow()).isNotNegative();
    assertThat(group.stats().oomKills()).contains(0L);
    group.destroy();
    assertThat(child.waitFor(LONG)).isPresent();
  }

  @Test
  void aForkBombStopsAtThePidLimitAndDiesWithTheGroup() throws Exception {
    Cgroup group = cgroups.create("pids", Limits.NONE.withPidsMax(6));
    Child child = startedInside(group, "for i in 1 2 3 4 5 6 7 8 9; do sleep 300 & done; wait");
    assertThat(child.waitFor(LONG)).as("the shell gives up when it cannot fork").isPresent();
    assertThat(group.processes()).hasSizeBetween(1, 6);
    group.destroy();
    assertThat(cgroups.list()).isEmpty();
  }

  @Test
  void groupsLeftByAnEarlierDaemonAreListedAndCanBeDestroyed() throws Exception {
    Child child = startedInside(cgroups.create("left", Limits.NONE), "exec sleep 300");
    Opening again = Cgroups.open("forkd-test-" + ProcessHandle.current().pid());
    Cgroups other = ((Opening.Ready) again).cgroups();
    assertThat(other.list()).containsExactly("left");
    other.find("left").orElseThrow().destroy();
    assertThat(other.find("left")).isEmpty();
    assertThat(child.waitFor(LONG)).isPresent();
  }

  @Test
  void aNameThatIsTakenIsRefusedAndNothingIsLostOrLeft() {
    cgroups.create("twice", Limits.NONE);
    assertThat(HostFilesTest.errno(() -> cgroups.create("twice", Limits.NONE)))
        .isEqualTo(Errno.EEXIST);
    assertThat(cgroups.list()).containsExactly("twice");
  }

  @Test
  void namesCannotLeaveTheParent() {
    for (String name : List.of("", "..", "a/b", ".x", "cgroup.procs", "a\n")) {
      assertThatThrownBy(() -> cgroups.create(name, Limits.NONE))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void addingAProcessThatIsGoneFailsWithItsErrno() {
    Cgroup group = cgroups.create("gone", Limits.NONE);
    assertThat(HostFilesTest.errno(() -> group.add(4_000_000))).isEqualTo(Errno.ESRCH);
  }
}

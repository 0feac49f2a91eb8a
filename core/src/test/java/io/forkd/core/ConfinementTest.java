package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.Cgroups;
import io.forkd.linux.Child;
import io.forkd.linux.Disks;
import io.forkd.linux.ExitStatus;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Cells on the cgroups this host really has, and on a host without any. */
@Timeout(60)
class ConfinementTest {
  private static final SandboxId ID = SandboxId.of("sb-0123456789-0000");
  private static final SandboxId OTHER = SandboxId.of("sb-0123456789-0001");

  @TempDir Path temp;
  private Cgroups cgroups;
  private Confinement confinement;

  @BeforeEach
  void open() {
    cgroups =
        switch (Cgroups.open("forkd-core-test-" + ProcessHandle.current().pid())) {
          case Cgroups.Opening.Ready(Cgroups ready) -> ready;
          case Cgroups.Opening.Unavailable(String reason) -> throw new AssertionError(reason);
        };
    confinement = new CgroupConfinement(cgroups, Disks.behind(temp));
  }

  @AfterEach
  void destroy() {
    cgroups.destroyAll();
  }

  /** Runs a script that begins only when it is in the cell. */
  private Child startedIn(Confinement.Cell cell, String script) throws Exception {
    Path gate = Files.createTempFile(temp, "gate", "");
    Child child =
        Spawn.of(
                Path.of("/bin/sh"),
                List.of("-c", "while [ -e %s ]; do sleep 0.01; done; %s".formatted(gate, script)))
            .start();
    cell.add(child.pid());
    Files.delete(gate);
    return child;
  }

  @Test
  void aCellExistsFromMakeToDestroy() {
    Confinement.Cell cell = confinement.of(ID);
    assertThat(confinement.existing()).isEmpty();
    cell.make();
    assertThat(confinement.existing()).containsExactly(ID.value());
    assertThat(cell.path()).endsWith("/" + ID);
    assertThat(Path.of(cell.path())).isDirectory();
    cell.destroy();
    assertThat(confinement.existing()).isEmpty();
    assertThat(Path.of(cell.path())).doesNotExist();
  }

  @Test
  void destroyingEndsWhatRunsInItAndNothingElse() throws Exception {
    Confinement.Cell cell = confinement.of(ID);
    Confinement.Cell other = confinement.of(OTHER);
    cell.make();
    other.make();
    Child inside = startedIn(cell, "sleep 1000 & exec sleep 1000");
    Child outside = startedIn(other, "exec sleep 1000");
    cell.destroy();
    assertThat(inside.exit().join()).isEqualTo(new ExitStatus.Killed(9));
    assertThat(outside.alive()).isTrue();
    assertThat(confinement.existing()).containsExactly(OTHER.value());
    confinement.destroy(OTHER.value());
    assertThat(outside.exit().join()).isEqualTo(new ExitStatus.Killed(9));
  }

  @Test
  void destroyingWhatIsNotThereIsFine() {
    confinement.of(ID).destroy();
    confinement.destroy(ID.value());
    assertThat(confinement.existing()).isEmpty();
  }

  @Test
  void anInterruptedThreadRemovesAPlaceWithAllThatStillRunsInIt() throws Exception {
    Workplaces places =
        new Workplaces(temp.resolve("run"), 1, false, List.of(), confinement, Wiring.none());
    Workplace place = places.make(ID);
    Child child = startedIn(confinement.of(ID), "exec sleep 1000");
    Thread.currentThread().interrupt();
    place.remove();
    assertThat(Thread.interrupted()).as("the interrupt is kept for the caller").isTrue();
    assertThat(child.exit().join()).isEqualTo(new ExitStatus.Killed(9));
    assertThat(confinement.existing()).isEmpty();
    assertThat(place.dir()).doesNotExist();
  }

  @Test
  void aCellIsMadeOnce() {
    confinement.of(ID).make();
    assertThatThrownBy(() -> confinement.of(ID).make()).hasMessageContaining("EEXIST");
    assertThat(confinement.existing()).containsExactly(ID.value());
  }

  @Test
  void aProcessOverItsLimitIsKilled() throws Exception {
    Confinement.Cell cell = confinement.of(ID);
    cell.make();
    cell.limit(Limits.ofMemory(Optional.of(32)));
    Child child = startedIn(cell, "exec dd if=/dev/zero of=/dev/null bs=200M count=1");
    assertThat(child.exit().join()).isEqualTo(new ExitStatus.Killed(9));
  }

  @Test
  void aProcessUnderItsLimitIsNot() throws Exception {
    Confinement.Cell cell = confinement.of(ID);
    cell.make();
    cell.limit(Limits.ofMemory(Optional.of(64)));
    Child child = startedIn(cell, "exec dd if=/dev/zero of=/dev/null bs=1M count=1");
    assertThat(child.exit().join()).isEqualTo(new ExitStatus.Exited(0));
  }

  @Test
  void aCellThatIsGoneTakesNoProcessAndNoLimit() throws Exception {
    Confinement.Cell cell = confinement.of(ID);
    assertThatThrownBy(() -> cell.limit(Limits.ofMemory(Optional.of(32))))
        .hasMessageContaining(ID + " is gone");
    Child child = Spawn.of(Path.of("/bin/sleep"), List.of("1000")).start();
    assertThatThrownBy(() -> cell.add(child.pid())).hasMessageContaining(ID + " is gone");
    child.kill(Signal.KILL);
    assertThat(child.exit().join()).isEqualTo(new ExitStatus.Killed(9));
  }

  @Test
  void withoutCgroupsSandboxesRunAndLimitsAreRefusedWithTheReason() {
    Confinement none = new NoConfinement("forkd does not run as root");
    Confinement.Cell cell = none.of(ID);
    cell.make();
    cell.add(1);
    assertThat(cell.path()).isEmpty();
    assertThat(none.existing()).isEmpty();
    assertThatThrownBy(() -> cell.limit(Limits.ofMemory(Optional.of(256))))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessageContaining("forkd does not run as root")
        .hasMessageContaining("forkd doctor");
    cell.destroy();
    none.destroy("anything");
  }

  private static Limits all(int memoryMib, double cpus, int pids, Optional<Long> io) {
    return new Limits(Optional.of(memoryMib), Optional.of(cpus), Optional.of(pids), io);
  }

  private Confinement onDisks(Disks disks) {
    return new CgroupConfinement(cgroups, disks);
  }

  @Test
  void limitsAreChangedWhileSomethingRunsAndPutBackToTheDefaults() throws Exception {
    Confinement.Cell cell = confinement.of(ID);
    cell.make();
    cell.limit(all(64, 0.5, 16, Optional.empty()));
    Child child = startedIn(cell, "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; wait");
    while (cell.stats().pids().orElseThrow() < 9) {
      Thread.sleep(5);
    }
    cell.limit(all(32, 2, 20, Optional.empty()));
    cell.limit(Limits.NONE);
    confinement.of(ID).limit(all(128, 1, 20, Optional.empty()));
    assertThat(child.alive()).isTrue();
  }

  @Test
  void aSandboxIsNotLimitedToLessThanItHolds() throws Exception {
    Confinement.Cell cell = confinement.of(ID);
    cell.make();
    Path held = temp.resolve("held");
    Child child =
        startedIn(
            cell,
            "exec dd if=/dev/zero bs=64M count=1 | (head -c 1 > %s; sleep 1000)".formatted(held));
    while (!Files.exists(held) || Files.size(held) == 0) {
      Thread.sleep(5);
    }
    assertThatThrownBy(() -> cell.limit(Limits.ofMemory(Optional.of(16))))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining(ID + " cannot be limited to 16 MiB: it holds ")
        .hasMessageContaining("Use a higher limit");
    cell.limit(Limits.ofMemory(Optional.of(256)));
    assertThat(child.alive()).isTrue();
  }

  @Test
  void bandwidthIsRefusedWhereTheDataFolderIsOnNoDisk() {
    Confinement.Cell cell = onDisks(new Disks("tmpfs", List.of())).of(ID);
    cell.make();
    Limits limits = all(64, 1, 64, Optional.of(1L << 20));
    assertThatThrownBy(() -> cell.limit(limits))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessage(
            "a limit of bandwidth cannot be kept on this host: the data folder lies on tmpfs, which"
                + " is on no disk of its own. Fork without one, or see `forkd doctor`.");
  }

  @Test
  void whatACellUsesIsCounted() throws Exception {
    Confinement.Cell cell = confinement.of(ID);
    assertThat(cell.stats()).isEqualTo(Cgroups.Stats.NONE);
    cell.make();
    cell.limit(Limits.ofMemory(Optional.of(32)));
    Child child = startedIn(cell, "exec dd if=/dev/zero of=/dev/null bs=200M count=1");
    child.exit().join();
    assertThat(cell.stats().oomKills().orElseThrow()).isPositive();
    assertThat(cell.stats().cpu().orElseThrow()).isPositive();
  }

  @Test
  void withoutCgroupsNoLimitIsAskedForInVain() {
    Confinement.Cell cell = new NoConfinement("no cgroup file system is mounted").of(ID);
    cell.limit(Limits.NONE);
    Limits cpus =
        new Limits(Optional.empty(), Optional.of(1.0), Optional.empty(), Optional.empty());
    assertThatThrownBy(() -> cell.limit(cpus))
        .hasMessageStartingWith("a limit cannot be kept on this host: no cgroup file system");
    assertThat(cell.stats()).isEqualTo(Cgroups.Stats.NONE);
  }
}

package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Folders;
import io.forkd.linux.Child;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import io.forkd.vmm.GuestStop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a daemon does with what another one left that cannot go on, and what it says of it. */
@Timeout(30)
class AdoptionTest {
  private static final LiveTracking LIVE = new LiveTracking(BranchWay.MIGRATION, "a fake host");

  @TempDir Path temp;
  private FakeHost host;
  private final FakeObituaries obituaries = new FakeObituaries();
  private final SandboxTable table = new SandboxTable(obituaries);
  private final PausedSandboxes paused = new PausedSandboxes();
  private boolean hostRestarted;

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
  }

  @AfterEach
  void close() throws IOException {
    host.close();
  }

  private void adopt() {
    new Adoption(
            host, host.workplaces, host.confinement, host.records, obituaries, hostRestarted, LIVE)
        .into(table, paused);
  }

  private void assertAllGone() {
    assertThat(table.all()).isEmpty();
    assertThat(host.workplaces.root()).isEmptyDirectory();
    assertThat(host.confinement.existing()).isEmpty();
    assertThat(host.records.kept).isEmpty();
  }

  /** A sandbox whose record says that somebody uses it. */
  private LiveSandbox given() {
    LiveSandbox sandbox = host.sandbox();
    host.records.put(
        sandbox.sandboxRecord().with(draft -> draft.state = SandboxRecord.State.RUNNING));
    return sandbox;
  }

  private static void killVmm(LiveSandbox sandbox) {
    sandbox.vm().process().kill(Signal.KILL);
    sandbox.vm().process().exit().join();
  }

  private EndReason reason(LiveSandbox sandbox) {
    return obituaries.find(sandbox.id()).orElseThrow().reason();
  }

  @Test
  void aChildNobodyWasGivenIsEndedWithoutAStory() {
    LiveSandbox parked = host.sandbox();
    adopt();
    parked.vm().process().exit().join();
    assertAllGone();
    assertThat(obituaries.all).isEmpty();
  }

  @Test
  void aSandboxWhoseAgentIsGoneIsLost() {
    LiveSandbox sandbox = given();
    host.agentsHangUp = true;
    adopt();
    sandbox.vm().process().exit().join();
    assertAllGone();
    assertThat(reason(sandbox).kind()).isEqualTo(EndReason.Kind.LOST);
    assertThat(reason(sandbox).text()).startsWith("a daemon that started could not take it over: ");
  }

  @Test
  void aSandboxWhoseVmmCannotBeReachedIsLost() {
    LiveSandbox sandbox = given();
    host.vms.clear();
    adopt();
    sandbox.vm().process().exit().join();
    assertAllGone();
    assertThat(reason(sandbox).kind()).isEqualTo(EndReason.Kind.LOST);
    assertThat(reason(sandbox).text()).contains("no VM");
  }

  @Test
  void aSandboxWhoseVmmDiedWhileNoDaemonRanSaysSoWithItsLastWords() throws Exception {
    LiveSandbox sandbox = given();
    Files.writeString(sandbox.place().site(0).log(), "qemu: out of luck\n");
    killVmm(sandbox);
    adopt();
    assertAllGone();
    assertThat(reason(sandbox))
        .isEqualTo(
            new EndReason(
                EndReason.Kind.VMM_CRASH,
                "its VMM process %d ended, and only the daemon that started it could have seen how"
                    .formatted(sandbox.vm().process().pid()),
                List.of("qemu: out of luck")));
  }

  @Test
  void aSandboxThatRanOutOfMemoryWhileNoDaemonRanSaysSo() {
    LiveSandbox sandbox = given();
    host.confinement.oomKills = 1;
    killVmm(sandbox);
    adopt();
    assertAllGone();
    assertThat(reason(sandbox).kind()).isEqualTo(EndReason.Kind.OUT_OF_MEMORY);
  }

  @Test
  void aGuestThatStoppedWhileNoDaemonRanIsAskedWhy() {
    LiveSandbox sandbox = given();
    host.vms.getFirst().guestStop =
        Optional.of(new GuestStop(Optional.of("Fatal exception"), List.of("Kernel panic")));
    adopt();
    assertAllGone();
    assertThat(reason(sandbox))
        .isEqualTo(
            new EndReason(
                EndReason.Kind.GUEST_PANIC,
                "its guest's kernel panicked: Fatal exception",
                List.of("Kernel panic")));
  }

  @Test
  void afterARestartOfTheHostAProcessWithTheSameNumberIsAnothers() {
    LiveSandbox sandbox = given();
    hostRestarted = true;
    adopt();
    assertAllGone();
    assertThat(reason(sandbox))
        .isEqualTo(new EndReason(EndReason.Kind.HOST_RESTART, "the host was restarted"));
    assertThat(sandbox.vm().process().alive()).isTrue();
  }

  @Test
  void aSandboxOfWhichOnlyTheRecordIsLeftWentWithTheRunFolder() throws Exception {
    LiveSandbox sandbox = given();
    killVmm(sandbox);
    Folders.deleteIfThere(sandbox.place().dir());
    adopt();
    assertAllGone();
    assertThat(reason(sandbox).kind()).isEqualTo(EndReason.Kind.HOST_RESTART);
    assertThat(reason(sandbox).text()).contains("its run folder were gone");
  }

  @Test
  void aPausedSandboxIsKept() throws Exception {
    LiveSandbox sandbox = host.sandbox();
    killVmm(sandbox);
    sandbox.place().remove();
    SandboxRecord asleep = pausedRecord(sandbox);
    host.records.put(asleep);
    for (boolean restarted : List.of(false, true)) {
      hostRestarted = restarted;
      adopt();
      assertThat(paused.find(sandbox.id())).contains(asleep);
      assertThat(host.records.find(sandbox.id())).contains(asleep);
      assertThat(obituaries.all).isEmpty();
    }
  }

  @Test
  void whatAnUnfinishedPauseOrResumeLeftIsClearedAndTheSandboxStaysPaused() {
    LiveSandbox sandbox = host.sandbox();
    host.records.put(pausedRecord(sandbox));
    adopt();
    assertThat(paused.find(sandbox.id())).isPresent();
    assertThat(host.workplaces.root()).isEmptyDirectory();
    assertThat(host.confinement.existing()).isEmpty();
    assertThat(host.records.kept).hasSize(1);
  }

  private static SandboxRecord pausedRecord(LiveSandbox sandbox) {
    return sandbox
        .sandboxRecord()
        .with(
            draft -> {
              draft.state = SandboxRecord.State.PAUSED;
              draft.pid = 0;
              draft.startTime = 0;
            });
  }

  @Test
  void aRecordThatCannotBeReadCostsItsSandboxOnly() {
    LiveSandbox spoilt = given();
    LiveSandbox sleeping = host.sandbox();
    host.records.put(pausedRecord(sleeping));
    host.records.unreadable.add(spoilt.id());
    adopt();
    assertThat(reason(spoilt))
        .isEqualTo(
            new EndReason(EndReason.Kind.LOST, "its record in the registry could not be read"));
    assertThat(host.records.ids()).containsExactly(sleeping.id());
    assertThat(host.workplaces.root()).isEmptyDirectory();
  }

  @Test
  void aFolderWithoutARecordIsCleanedAway() {
    LiveSandbox sandbox = host.sandbox();
    host.records.remove(sandbox.id());
    adopt();
    assertAllGone();
    assertThat(obituaries.all).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, -9, 4096, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void anImpossibleSlotDoesNotStopTheDaemon(int slot) {
    Workplace place = host.workplaces.make(host.newId());
    FakeVm vm = host.newVm();
    host.records.put(FakeHost.entry(place.id(), vm, slot));
    adopt();
    vm.process().exit().join();
    assertAllGone();
  }

  @Test
  void aProcessWithoutARecordIsEnded() throws Exception {
    Path folder = host.workplaces.root().toRealPath().resolve("sb-0123456789-0000/vmm");
    Files.createDirectories(folder);
    Child stray = Spawn.of(Path.of("/bin/sleep"), List.of("1000")).workingDirectory(folder).start();
    adopt();
    stray.exit().join();
    assertAllGone();
  }

  @Test
  void aCellWithoutAFolderIsDestroyed() {
    host.confinement.cells.add("sb-0123456789-0042");
    adopt();
    assertAllGone();
  }
}

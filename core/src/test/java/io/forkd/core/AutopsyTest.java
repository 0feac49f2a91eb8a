package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.linux.ExitStatus;
import io.forkd.linux.Signal;
import io.forkd.vmm.GuestStop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Why a sandbox ended whose VMM is gone. */
@Timeout(30)
class AutopsyTest {
  private static final ExitStatus KILLED = new ExitStatus.Killed(9);

  @TempDir Path temp;
  private FakeHost host;
  private final FakeObituaries obituaries = new FakeObituaries();

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
  }

  @AfterEach
  void close() throws IOException {
    host.close();
  }

  private static EndReason of(LiveSandbox sandbox, Optional<GuestStop> stop, ExitStatus status) {
    return Autopsy.of(sandbox.place(), sandbox.sandboxRecord(), stop, status);
  }

  @Test
  void aVmmThatEndedIsACrashWithItsStatusAndLastWords() throws Exception {
    LiveSandbox sandbox = host.sandbox();
    Files.writeString(sandbox.place().site(0).log(), "one\ntwo\nqemu: terminating on signal 15\n");
    long pid = sandbox.sandboxRecord().pid();
    assertThat(of(sandbox, Optional.empty(), new ExitStatus.Exited(0)))
        .isEqualTo(
            new EndReason(
                EndReason.Kind.VMM_CRASH,
                "its VMM process %d ended: exit code 0".formatted(pid),
                List.of("one", "two", "qemu: terminating on signal 15")));
    assertThat(of(sandbox, Optional.empty(), KILLED).text())
        .isEqualTo("its VMM process %d ended: signal KILL", pid);
  }

  @Test
  void theLastWordsAreThoseOfTheProcessItHadLast() throws Exception {
    LiveSandbox sandbox = host.sandbox();
    sandbox.place().makeSite(2);
    Files.writeString(sandbox.place().site(0).log(), "the first\n");
    Files.writeString(sandbox.place().site(2).log(), "the third\n");
    SandboxRecord third = sandbox.sandboxRecord().with(draft -> draft.generation = 2);
    assertThat(Autopsy.of(sandbox.place(), third, Optional.empty(), KILLED).log())
        .containsExactly("the third");
  }

  @Test
  void aVmmTheKernelKilledAtItsLimitIsOutOfMemory() {
    LiveSandbox sandbox = host.sandbox();
    host.confinement.oomKills = 1;
    assertThat(of(sandbox, Optional.empty(), KILLED))
        .isEqualTo(
            new EndReason(
                EndReason.Kind.OUT_OF_MEMORY,
                "the host ran out of memory and its kernel killed it"));
    SandboxRecord limited =
        sandbox
            .sandboxRecord()
            .with(
                draft ->
                    draft.given =
                        new ChildSpec(
                            Limits.ofMemory(Optional.of(256)),
                            Lifetime.UNLIMITED,
                            Optional.empty(),
                            Map.of(),
                            Optional.empty()));
    assertThat(Autopsy.of(sandbox.place(), limited, Optional.empty(), KILLED).text())
        .isEqualTo("it used more than its memory limit of 256 MiB and the host's kernel killed it");
  }

  @Test
  void aVmmThatExitedByItselfWasNotKilledForItsMemory() {
    LiveSandbox sandbox = host.sandbox();
    host.confinement.oomKills = 1;
    assertThat(of(sandbox, Optional.empty(), new ExitStatus.Exited(1)).kind())
        .isEqualTo(EndReason.Kind.VMM_CRASH);
  }

  @Test
  void aGuestThatStoppedItselfIsBelievedBeforeAnythingElse() {
    LiveSandbox sandbox = host.sandbox();
    host.confinement.oomKills = 1;
    assertThat(
            of(
                sandbox,
                Optional.of(new GuestStop(Optional.empty(), List.of("Power down"))),
                KILLED))
        .isEqualTo(
            new EndReason(
                EndReason.Kind.GUEST_SHUTDOWN,
                "its guest was shut down from inside",
                List.of("Power down")));
  }

  @Test
  void theTableTellsHowASandboxDiedAndKeepsNoRecordOfIt() throws Exception {
    SandboxTable table = new SandboxTable(obituaries);
    LiveSandbox sandbox = host.sandbox();
    table.add(sandbox);
    host.vms.getFirst().guestStop =
        Optional.of(new GuestStop(Optional.of("sysrq triggered crash"), List.of("last line")));
    sandbox.vm().process().kill(Signal.KILL);
    while (!host.workplaces.existing().isEmpty() || !host.records.kept.isEmpty()) {
      Thread.sleep(2);
    }
    EndedSandbox ended = obituaries.find(sandbox.id()).orElseThrow();
    assertThat(ended.snapshotTag()).isEqualTo(FakeHost.TAG);
    assertThat(ended.reason())
        .isEqualTo(
            new EndReason(
                EndReason.Kind.GUEST_PANIC,
                "its guest's kernel panicked: sysrq triggered crash",
                List.of("last line")));
  }

  @Test
  void aSandboxThatHasEndedGetsNoRecordAgain() {
    LiveSandbox sandbox = host.sandbox();
    sandbox.end();
    sandbox.keep(sandbox.sandboxRecord().with(draft -> draft.branchCount = 1));
    assertThat(host.records.kept).isEmpty();
  }

  @Test
  void whatIsToGoOnElsewhereOrHasEndedMayNotRunAgainHere() {
    LiveSandbox sandbox = host.sandbox();
    sandbox.requireStaying();
    sandbox.leave();
    assertThatThrownBy(sandbox::requireStaying)
        .isInstanceOf(ForkdException.class)
        .hasMessageContainingAll("is being paused", "forkd resume");
    sandbox.stay();
    sandbox.requireStaying();
    assertThat(sandbox.still(() -> "done")).isEqualTo("done");
    assertThatThrownBy(() -> sandbox.still(() -> endThenFail(sandbox)))
        .hasMessageContaining("ended meanwhile")
        .hasRootCauseMessage("its cgroup is gone");
    assertThatThrownBy(sandbox::requireStaying).hasMessageContaining("has ended");
    assertThat(sandbox.stillness().isLocked()).isFalse();
  }

  private static String endThenFail(LiveSandbox sandbox) {
    sandbox.end();
    throw new IllegalStateException("its cgroup is gone");
  }

  @Test
  void tidyingKeepsTheLogsShort() throws Exception {
    SandboxTable table = new SandboxTable(obituaries);
    LiveSandbox sandbox = host.sandbox();
    table.add(sandbox);
    Path log = sandbox.place().site(0).log();
    Files.writeString(log, "x".repeat(1 << 20));
    table.tidy();
    assertThat(log).isEmptyFile();
    Files.writeString(log, "short");
    table.tidy();
    assertThat(log).content().isEqualTo("short");
  }
}

package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sandboxes go to disk and come back as they were; workspaces do so by name. */
@org.junit.jupiter.api.Tag("vm")
class PauseVmTest {
  private final VmLab lab = VmLab.shared();

  @AfterEach
  void cleanUp() {
    lab.forkd().workspaces().forEach(workspace -> lab.forkd().deleteWorkspace(workspace.name()));
    lab.killAll();
    lab.removeAllBut(Set.of(VmLab.PYTHON));
  }

  private Sandbox forkWith(Lifetime lifetime) {
    return lab.forkd()
        .fork(
            new ForkSpec(
                lab.python(),
                1,
                false,
                new ChildSpec(
                    Limits.NONE,
                    lifetime,
                    Optional.empty(),
                    Map.of("team", "blue"),
                    Optional.of("alice"))))
        .sandboxes()
        .getFirst();
  }

  private static void assertPausedError(ForkdException e) {
    assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
    assertThat(e.getMessage()).contains("is paused").contains("forkd resume");
  }

  @Test
  void aPausedSandboxHasNoProcessAndGoesOnWhereItWas() {
    Sandbox sandbox = forkWith(Lifetime.UNLIMITED);
    HostTraces before = HostTraces.of(lab);
    lab.eval(sandbox, "state = list(range(5))");
    lab.sh(sandbox, "echo kept > /srv/file; (while :; do date +%s > /tmp/tick; sleep 1; done) & :");
    String machine = lab.sh(sandbox, "cat /etc/machine-id; hostname");

    Sandbox paused = lab.forkd().pause(sandbox.id());

    assertThat(paused.state()).isEqualTo(SandboxState.PAUSED);
    assertThat(lab.forkd().sandboxes())
        .extracting(Sandbox::state)
        .containsOnly(SandboxState.PAUSED);
    assertThat(HostTraces.of(lab).vmmProcesses()).isEmpty();
    assertThat(HostTraces.of(lab).workplaces()).isEmpty();
    assertThatThrownBy(() -> lab.eval(sandbox, "1"))
        .isInstanceOfSatisfying(ForkdException.class, PauseVmTest::assertPausedError);
    assertThatThrownBy(() -> lab.forkd().branch(sandbox.id(), BranchSpec.of(Tag.of("nope"))))
        .isInstanceOfSatisfying(ForkdException.class, PauseVmTest::assertPausedError);
    assertThatThrownBy(
            () ->
                lab.forkd()
                    .compare(
                        Subject.named(sandbox.id().value()),
                        Subject.named(sandbox.snapshotTag().value()),
                        false))
        .isInstanceOfSatisfying(ForkdException.class, PauseVmTest::assertPausedError);
    assertThat(lab.forkd().pause(sandbox.id()).state()).isEqualTo(SandboxState.PAUSED);
    assertThat(paused.branchCount()).as("a pause is no branch").isZero();

    Sandbox back = lab.forkd().resume(sandbox.id());

    assertThat(back.id()).isEqualTo(sandbox.id());
    assertThat(back.snapshotTag()).isEqualTo(sandbox.snapshotTag());
    assertThat(back.given()).isEqualTo(sandbox.given());
    assertThat(back.createdAt()).isEqualTo(sandbox.createdAt());
    assertThat(lab.eval(back, "state")).isEqualTo("[0, 1, 2, 3, 4]");
    assertThat(lab.sh(back, "cat /srv/file")).isEqualTo("kept");
    assertThat(lab.sh(back, "cat /etc/machine-id; hostname")).isEqualTo(machine);
    long guest = Long.parseLong(lab.sh(back, "date +%s"));
    assertThat(Math.abs(guest - System.currentTimeMillis() / 1000)).isLessThan(5);
    String tick = lab.sh(back, "cat /tmp/tick");
    lab.await(() -> !lab.sh(back, "cat /tmp/tick").equals(tick));
    assertThat(HostTraces.of(lab).vmmProcesses()).hasSize(before.vmmProcesses().size());
  }

  /** A branch in the middle of a pause once let the guest run on, and what it did then was lost. */
  @Test
  void nothingThatWasAnsweredWhileASandboxWasBeingPausedIsLost() throws Exception {
    Sandbox sandbox = forkWith(Lifetime.UNLIMITED);
    lab.eval(sandbox, "import os; n = 0; big = bytearray(os.urandom(1 << 20) * 64)");
    CompletableFuture<Sandbox> pausing =
        CompletableFuture.supplyAsync(() -> lab.forkd().pause(sandbox.id()));
    int answered = 0;
    int branches = 0;
    while (!pausing.isDone()) {
      try {
        Tag tag = Tag.of("meanwhile-" + branches++);
        lab.forkd().branch(sandbox.id(), BranchSpec.of(tag).withoutWaiting());
        lab.eval(sandbox, "n += 1");
        answered++;
      } catch (ForkdException e) {
        Thread.sleep(5); // it is being paused, or is paused
      }
    }
    assertThat(pausing.get().state()).isEqualTo(SandboxState.PAUSED);
    lab.forkd().resume(sandbox.id());
    assertThat(Integer.parseInt(lab.eval(sandbox, "n"))).isGreaterThanOrEqualTo(answered);
  }

  @Test
  void pausedAgainAndAgainItKeepsItsStateAndLeavesNothing() {
    Sandbox sandbox = forkWith(Lifetime.UNLIMITED);
    lab.eval(sandbox, "n = 0");
    for (int round = 1; round <= 7; round++) {
      lab.eval(sandbox, "n += 1");
      lab.forkd().pause(sandbox.id());
      if (round % 3 == 0) {
        lab.reopen();
      }
      lab.forkd().resume(sandbox.id());
      assertThat(lab.eval(sandbox, "n")).isEqualTo(String.valueOf(round));
    }
    Snapshot branch = lab.forkd().branch(sandbox.id(), BranchSpec.of(Tag.of("after-pauses")));
    Sandbox child =
        lab.forkd().fork(new ForkSpec(branch.tag(), 1, Optional.empty())).sandboxes().getFirst();
    assertThat(lab.eval(child, "n")).isEqualTo("7");
    lab.killAll();
    lab.forkd().removeSnapshot(branch.tag(), RemoveMode.SAFE);
    lab.await(() -> lab.forkd().snapshots().size() == 1);
  }

  @Test
  void aPausedSandboxOutlivesACrashAndCanBeKilled() {
    Sandbox sandbox = forkWith(Lifetime.UNLIMITED);
    lab.eval(sandbox, "x = 41");
    lab.forkd().pause(sandbox.id());
    lab.reopenAfterCrash();
    assertThat(lab.forkd().sandbox(sandbox.id()).state()).isEqualTo(SandboxState.PAUSED);
    lab.forkd().resume(sandbox.id());
    assertThat(lab.eval(sandbox, "x + 1")).isEqualTo("42");
    lab.forkd().pause(sandbox.id());
    lab.forkd().kill(sandbox.id());
    assertThat(lab.forkd().sandboxes()).isEmpty();
    assertThatThrownBy(() -> lab.forkd().resume(sandbox.id()))
        .hasMessageContaining("is gone: it was killed by request");
    assertThat(lab.forkd().snapshots()).extracting(Snapshot::tag).containsExactly(VmLab.PYTHON);
  }

  @Test
  void anIdleSandboxIsPausedAndOneInUseIsNot() {
    Lifetime idle =
        new Lifetime(Optional.empty(), Optional.of(Duration.ofSeconds(2)), Lifetime.AtEnd.PAUSE);
    Sandbox lazy = forkWith(idle);
    Sandbox busy = forkWith(idle);
    lab.sh(busy, "sleep 6");
    assertThat(lab.forkd().sandbox(busy.id()).state()).isEqualTo(SandboxState.RUNNING);
    lab.await(() -> lab.forkd().sandbox(lazy.id()).state() == SandboxState.PAUSED);
    lab.await(() -> lab.forkd().sandbox(busy.id()).state() == SandboxState.PAUSED);
    assertThat(lab.forkd().events().recent())
        .extracting(Event::type)
        .contains("sandbox.created", "sandbox.paused");
  }

  @Test
  void anIdleSandboxThatIsToEndEndsWithItsReason() {
    Sandbox sandbox =
        forkWith(
            new Lifetime(
                Optional.empty(), Optional.of(Duration.ofSeconds(1)), Lifetime.AtEnd.KILL));
    lab.await(() -> lab.forkd().sandboxes().isEmpty());
    EndedSandbox ended = lab.forkd().ended().getFirst();
    assertThat(ended.id()).isEqualTo(sandbox.id());
    assertThat(ended.reason().kind()).isEqualTo(EndReason.Kind.IDLE);
    assertThat(ended.owner()).contains("alice");
  }

  @Test
  void whatASandboxWasGivenCanBeChanged() {
    Sandbox sandbox = forkWith(Lifetime.UNLIMITED);
    Sandbox changed =
        lab.forkd()
            .update(
                sandbox.id(),
                new SandboxChange(
                    Optional.empty(),
                    Optional.of(Lifetime.of(Optional.of(Duration.ofHours(1)))),
                    Optional.empty(),
                    Optional.of(Map.of("team", "red"))));
    assertThat(changed.expiresAt()).isPresent();
    assertThat(changed.given().labels()).isEqualTo(Map.of("team", "red"));
    lab.reopen();
    assertThat(lab.forkd().sandbox(sandbox.id()).given()).isEqualTo(changed.given());
  }

  @Test
  void aWorkspaceIsSuspendedAndResumedByNameManyTimes() {
    WorkspaceName name = new WorkspaceName("notes");
    Workspace made =
        lab.forkd()
            .createWorkspace(
                new WorkspaceSpec(
                    name, lab.python(), ChildSpec.PLAIN.withOwner(Optional.of("alice"))));
    assertThat(made.status()).isEqualTo(Workspace.Status.RUNNING);
    assertThatThrownBy(
            () ->
                lab.forkd().createWorkspace(new WorkspaceSpec(name, lab.python(), ChildSpec.PLAIN)))
        .hasMessageContaining("exists");
    Sandbox sandbox = lab.forkd().sandbox(made.sandbox().orElseThrow());
    for (int round = 1; round <= 3; round++) {
      lab.eval(sandbox, "pages = globals().get('pages', 0) + 1");
      Workspace suspended = lab.forkd().suspendWorkspace(name);
      assertThat(suspended.status()).isEqualTo(Workspace.Status.SUSPENDED);
      assertThat(suspended.stateTag()).contains(Tag.of("ws-notes-state"));
      assertThat(suspended.sandbox()).isEmpty();
      lab.reopenAfterCrash();
      Workspace resumed = lab.forkd().resumeWorkspace(name);
      assertThat(resumed.status()).isEqualTo(Workspace.Status.RUNNING);
      assertThat(lab.eval(sandbox, "pages")).isEqualTo(String.valueOf(round));
    }
    assertThat(lab.forkd().snapshots())
        .extracting(Snapshot::tag)
        .containsExactlyInAnyOrder(VmLab.PYTHON, Tag.of("ws-notes-state"));

    lab.forkd().kill(sandbox.id());
    assertThat(lab.forkd().workspace(name).status()).isEqualTo(Workspace.Status.STALE);
    assertThatThrownBy(() -> lab.forkd().suspendWorkspace(name)).hasMessageContaining("resume");
    Workspace again = lab.forkd().resumeWorkspace(name);
    Sandbox fresh = lab.forkd().sandbox(again.sandbox().orElseThrow());
    assertThat(lab.eval(fresh, "pages")).as("its last state").isEqualTo("3");

    lab.forkd().deleteWorkspace(name);
    assertThat(lab.forkd().workspaces()).isEmpty();
    assertThat(lab.forkd().sandboxes()).isEmpty();
    assertThat(lab.forkd().snapshots()).extracting(Snapshot::tag).containsExactly(VmLab.PYTHON);
  }

  @Test
  void twoWhoPauseAndResumeAtOnceAgree() throws Exception {
    Sandbox sandbox = forkWith(Lifetime.UNLIMITED);
    lab.eval(sandbox, "v = 'here'");
    for (int round = 0; round < 3; round++) {
      List<Thread> callers =
          List.of(
              Thread.startVirtualThread(() -> lab.forkd().pause(sandbox.id())),
              Thread.startVirtualThread(() -> lab.forkd().pause(sandbox.id())),
              Thread.startVirtualThread(() -> lab.forkd().resume(sandbox.id())));
      for (Thread caller : callers) {
        caller.join();
      }
      lab.forkd().resume(sandbox.id());
      assertThat(lab.eval(sandbox, "v")).isEqualTo("'here'");
    }
    assertThat(HostTraces.of(lab).vmmProcesses()).hasSize(1);
  }
}

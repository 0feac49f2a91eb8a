package io.forkd.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.base.GuestNet;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.ForkProof;
import io.forkd.vmm.VirtualMachine;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * What is kept on disk of a sandbox, in its work folder, so that a later daemon can find it again
 * or clean up after it.
 *
 * @param birth tells the snapshot it came from apart from a later one under the same tag
 * @param startTime the VMM's start in clock ticks since boot; with the pid it is its identity
 * @param generation counts the processes a sandbox has had: rollback replaces them
 * @param writeTracker the userfaultfd the VMM holds for live branches
 * @param branchWay how it is branched; unknown of those that an older daemon left
 * @param cgroup the sandbox's cgroup, for cleanup by others
 * @param pausedAs the snapshot that holds a paused sandbox
 * @param cameFrom the snapshot it was forked from, when its memory is based on another since it was
 *     resumed
 * @param netns the name of its network namespace, when it has one
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record SandboxRecord(
    SandboxId id,
    State state,
    Tag snapshotTag,
    String birth,
    int slot,
    long pid,
    long startTime,
    int generation,
    Optional<Integer> writeTracker,
    Optional<BranchWay> branchWay,
    String cgroup,
    long createdAtUnix,
    ChildSpec given,
    boolean pooled,
    Optional<ForkProof> proof,
    Map<String, Double> phasesMs,
    Optional<RestoredCost> restored,
    int branchCount,
    Optional<Long> expiresAtUnix,
    Optional<Tag> pausedAs,
    Optional<Tag> cameFrom,
    Optional<String> netns) {

  enum State {
    /** A child that nobody has been given yet. */
    PARKED,
    /** A child somebody uses. */
    RUNNING,
    /** One without a process, whose memory is a snapshot. */
    PAUSED
  }

  SandboxRecord {
    phasesMs = Map.copyOf(phasesMs);
  }

  static Optional<Integer> trackerOf(VirtualMachine vm) {
    OptionalInt tracker = vm.writeTracker();
    return tracker.isPresent() ? Optional.of(tracker.getAsInt()) : Optional.empty();
  }

  /** The same with some parts changed. */
  SandboxRecord with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.finish();
  }

  Sandbox toSandbox() {
    return new Sandbox(
        id,
        cameFrom.orElse(snapshotTag),
        Instant.ofEpochSecond(createdAtUnix),
        pid,
        pooled,
        proof.orElseThrow(() -> new IllegalStateException(id + " has no fork proof")),
        phasesMs,
        restored,
        branchCount,
        branchWay.orElse(BranchWay.PAUSED),
        expiresAtUnix.map(Instant::ofEpochSecond),
        state == State.PAUSED ? SandboxState.PAUSED : SandboxState.RUNNING,
        given,
        netns.map(
            name ->
                new Sandbox.Network(
                    name, GuestNet.ADDRESS, given.egress().orElse(Egress.INTERNET))));
  }

  EndedSandbox toEnded(EndReason reason) {
    return new EndedSandbox(
        id,
        cameFrom.orElse(snapshotTag),
        Instant.ofEpochSecond(createdAtUnix),
        Instant.now(),
        reason,
        given.labels(),
        given.owner());
  }

  /** What of a record changes in the life of a sandbox. */
  static final class Draft {
    private final SandboxRecord before;
    State state;
    Tag snapshotTag;
    String birth;
    long pid;
    long startTime;
    int generation;
    Optional<Integer> writeTracker;
    Optional<BranchWay> branchWay;
    long createdAtUnix;
    ChildSpec given;
    boolean pooled;
    Optional<ForkProof> proof;
    Map<String, Double> phasesMs;
    Optional<RestoredCost> restored;
    int branchCount;
    Optional<Long> expiresAtUnix;
    Optional<Tag> pausedAs;
    Optional<Tag> cameFrom;
    Optional<String> netns;

    private Draft(SandboxRecord before) {
      this.before = before;
      state = before.state;
      snapshotTag = before.snapshotTag;
      birth = before.birth;
      pid = before.pid;
      startTime = before.startTime;
      generation = before.generation;
      writeTracker = before.writeTracker;
      branchWay = before.branchWay;
      createdAtUnix = before.createdAtUnix;
      given = before.given;
      pooled = before.pooled;
      proof = before.proof;
      phasesMs = before.phasesMs;
      restored = before.restored;
      branchCount = before.branchCount;
      expiresAtUnix = before.expiresAtUnix;
      pausedAs = before.pausedAs;
      cameFrom = before.cameFrom;
      netns = before.netns;
    }

    /** Another process runs it now. */
    void process(VirtualMachine vm, int newGeneration, LiveTracking live) {
      pid = vm.process().pid();
      startTime = vm.process().startTicks();
      generation = newGeneration;
      writeTracker = trackerOf(vm);
      branchWay = Optional.of(live.wayOf(writeTracker));
    }

    private SandboxRecord finish() {
      return new SandboxRecord(
          before.id,
          state,
          snapshotTag,
          birth,
          before.slot,
          pid,
          startTime,
          generation,
          writeTracker,
          branchWay,
          before.cgroup,
          createdAtUnix,
          given,
          pooled,
          proof,
          phasesMs,
          restored,
          branchCount,
          expiresAtUnix,
          pausedAs,
          cameFrom,
          netns);
    }
  }
}

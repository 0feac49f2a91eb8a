package io.forkd.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.ForkProof;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What is kept on disk of a sandbox, in its work folder, so that a later daemon can find it again
 * or clean up after it.
 *
 * @param startTime the VMM's start in clock ticks since boot; with the pid it is its identity
 * @param cgroup the sandbox's cgroup, for cleanup by others
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record SandboxRecord(
    SandboxId id,
    State state,
    Tag snapshotTag,
    int slot,
    long pid,
    long startTime,
    String cgroup,
    long createdAtUnix,
    Optional<Integer> memoryLimitMib,
    boolean pooled,
    Optional<ForkProof> proof,
    Map<String, Double> phasesMs,
    Optional<RestoredCost> restored) {

  enum State {
    /** A child that nobody has been given yet. */
    PARKED,
    /** A child somebody uses. */
    RUNNING
  }

  SandboxRecord {
    phasesMs = Map.copyOf(phasesMs);
  }

  SandboxRecord withProof(ForkProof fresh) {
    return new SandboxRecord(
        id,
        state,
        snapshotTag,
        slot,
        pid,
        startTime,
        cgroup,
        createdAtUnix,
        memoryLimitMib,
        pooled,
        Optional.of(fresh),
        phasesMs,
        restored);
  }

  SandboxRecord withRestored(RestoredCost cost) {
    return new SandboxRecord(
        id,
        state,
        snapshotTag,
        slot,
        pid,
        startTime,
        cgroup,
        createdAtUnix,
        memoryLimitMib,
        pooled,
        proof,
        phasesMs,
        Optional.of(cost));
  }

  Sandbox toSandbox() {
    return new Sandbox(
        id,
        snapshotTag,
        Instant.ofEpochSecond(createdAtUnix),
        pid,
        memoryLimitMib,
        pooled,
        proof.orElseThrow(() -> new IllegalStateException(id + " has no fork proof")),
        phasesMs,
        restored,
        0,
        BranchMode.DIFF,
        Optional.empty());
  }
}

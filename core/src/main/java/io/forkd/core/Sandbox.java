package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.ForkProof;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A running child.
 *
 * @param pid the VMM's process id on the host
 * @param pooled whether it was taken warm from a pool
 * @param proof what was made different in it before it was handed out
 * @param phasesMs how long each phase of its fork took: {@code queue}, {@code spawn}, {@code
 *     restore}, {@code resume}, {@code handshake}, {@code total}
 * @param restored its cost when it was restored, when that was asked for
 * @param branchCount the branches taken of it
 * @param bestBranch the mode a branch of it has when none is asked for
 * @param expiresAt when it will be ended
 */
public record Sandbox(
    SandboxId id,
    Tag snapshotTag,
    Instant createdAt,
    long pid,
    Optional<Integer> memoryLimitMib,
    boolean pooled,
    ForkProof proof,
    Map<String, Double> phasesMs,
    Optional<RestoredCost> restored,
    int branchCount,
    BranchMode bestBranch,
    Optional<Instant> expiresAt) {
  public Sandbox(
      SandboxId id,
      Tag snapshotTag,
      Instant createdAt,
      long pid,
      Optional<Integer> memoryLimitMib,
      boolean pooled,
      ForkProof proof,
      Map<String, Double> phasesMs) {
    this(
        id,
        snapshotTag,
        createdAt,
        pid,
        memoryLimitMib,
        pooled,
        proof,
        phasesMs,
        Optional.empty(),
        0,
        BranchMode.DIFF,
        Optional.empty());
  }

  public Sandbox {
    phasesMs = Map.copyOf(phasesMs);
  }
}

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
 * @param branchWay how it is branched when no mode is asked for
 * @param expiresAt when its time to live is over
 * @param given what it was given: limits, lifetime, labels, owner
 * @param network how it is connected, when it is
 */
public record Sandbox(
    SandboxId id,
    Tag snapshotTag,
    Instant createdAt,
    long pid,
    boolean pooled,
    ForkProof proof,
    Map<String, Double> phasesMs,
    Optional<RestoredCost> restored,
    int branchCount,
    BranchWay branchWay,
    Optional<Instant> expiresAt,
    SandboxState state,
    ChildSpec given,
    Optional<Network> network) {

  /**
   * A sandbox's connection.
   *
   * @param netns the host's name of its network namespace
   * @param guestAddress its own address, the same in every sandbox
   */
  public record Network(String netns, String guestAddress, Egress egress) {}

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
        pooled,
        proof,
        phasesMs,
        Optional.empty(),
        0,
        BranchWay.PAUSED,
        Optional.empty(),
        SandboxState.RUNNING,
        ChildSpec.of(memoryLimitMib, Optional.empty()),
        Optional.empty());
  }

  public Optional<Integer> memoryLimitMib() {
    return given.limits().memoryMib();
  }

  public Sandbox {
    phasesMs = Map.copyOf(phasesMs);
  }
}

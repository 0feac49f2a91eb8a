package io.forkd.guest;

import java.util.List;

/**
 * The agent's account of what it changed in a child before anyone may use it.
 *
 * @param clockErrorMs guest clock minus host clock after it was set
 * @param clockStepMs how far the guest clock had to be moved
 * @param entropyBytes bytes mixed into the guest kernel's pool
 * @param crngReseeded whether the guest kernel reseeded its generator afterwards
 * @param kernelUuid a draw from /proc/sys/kernel/random/uuid after the reseed
 * @param hooks the post-fork hooks that ran, by name; one that fails fails the fork
 */
public record ForkProof(
    String hostname,
    String machineId,
    String bootId,
    long clockErrorMs,
    long clockStepMs,
    int entropyBytes,
    boolean crngReseeded,
    String kernelUuid,
    List<String> hooks) {
  public ForkProof {
    hooks = List.copyOf(hooks);
  }

  ForkProof withClock(long errorMs, long stepMs) {
    return new ForkProof(
        hostname,
        machineId,
        bootId,
        errorMs,
        stepMs,
        entropyBytes,
        crngReseeded,
        kernelUuid,
        hooks);
  }
}

package io.forkd.client;

import java.util.List;

/**
 * What the guest's agent changed in a child before it was handed out.
 *
 * @param clockErrorMs guest clock minus host clock after it was set
 * @param clockStepMs how far the guest clock had to be moved
 * @param entropyBytes bytes mixed into the guest kernel's pool
 * @param kernelUuid a draw from the guest kernel's generator after the reseed
 * @param hooks the post-fork hooks that ran
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

  static ForkProof from(JsonObject json) {
    return new ForkProof(
        json.text("hostname"),
        json.text("machine_id"),
        json.text("boot_id"),
        json.number("clock_error_ms"),
        json.number("clock_step_ms"),
        json.integer("entropy_bytes"),
        json.flag("crng_reseeded"),
        json.text("kernel_uuid"),
        json.texts("hooks"));
  }
}

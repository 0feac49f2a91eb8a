package io.forkd.guest;

import static java.util.Objects.requireNonNull;

/**
 * What makes a child itself and nobody else.
 *
 * @param sandboxId shown to the guest as {@code FORKD_SANDBOX_ID}
 * @param machineId 32 hexadecimal digits for /etc/machine-id
 * @param entropy 64 fresh random bytes for the guest kernel and every runtime kernel
 */
public record ForkIdentity(String sandboxId, String hostname, String machineId, byte[] entropy) {
  public ForkIdentity {
    requireNonNull(sandboxId, "sandboxId is null");
    requireNonNull(hostname, "hostname is null");
    requireNonNull(machineId, "machineId is null");
    entropy = entropy.clone();
  }

  @Override
  public byte[] entropy() {
    return entropy.clone();
  }
}

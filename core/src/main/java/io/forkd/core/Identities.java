package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.guest.ForkIdentity;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Makes up who a child is: nothing in it was seen before. */
final class Identities {
  private static final int ENTROPY_BYTES = 64;
  private static final int MACHINE_ID_BYTES = 16;

  private final SecureRandom random = new SecureRandom();

  ForkIdentity of(SandboxId id) {
    byte[] machineId = new byte[MACHINE_ID_BYTES];
    byte[] entropy = new byte[ENTROPY_BYTES];
    random.nextBytes(machineId);
    random.nextBytes(entropy);
    return new ForkIdentity(id.value(), id.value(), HexFormat.of().formatHex(machineId), entropy);
  }

  String newBatch() {
    return SandboxId.newBatch(random);
  }
}

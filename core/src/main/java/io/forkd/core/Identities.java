package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.guest.ForkIdentity;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Makes up who a child is: nothing in it was seen before. */
final class Identities {
  private static final int ENTROPY_BYTES = 64;
  private static final int MACHINE_ID_BYTES = 16;
  private static final int BIRTH_BYTES = 16;

  private final SecureRandom random = new SecureRandom();

  ForkIdentity of(SandboxId id) {
    return of(id, hex(MACHINE_ID_BYTES));
  }

  /** For a sandbox that is to stay who it was. */
  ForkIdentity of(SandboxId id, String machineId) {
    byte[] entropy = new byte[ENTROPY_BYTES];
    random.nextBytes(entropy);
    return new ForkIdentity(id.value(), id.value(), machineId, entropy);
  }

  /** A name no other snapshot has. */
  String newBirth() {
    return hex(BIRTH_BYTES);
  }

  private String hex(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  String newBatch() {
    return SandboxId.newBatch(random);
  }
}

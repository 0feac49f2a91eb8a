package io.forkd.server.e2b;

import io.forkd.base.SandboxId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tokens of sandboxes: each is derived from the daemon's secret and the sandbox's id, so that
 * forks differ, a restart changes nothing and nobody has to keep them.
 */
final class Tokens {
  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] secret;

  Tokens(byte[] secret) {
    this.secret = secret.clone();
  }

  /** Opens the sandbox itself: processes, files, code. */
  String envd(SandboxId id) {
    return derive("envd", id);
  }

  /** Opens the servers in the sandbox: code and ports. */
  String traffic(SandboxId id) {
    return derive("traffic", id);
  }

  private String derive(String purpose, SandboxId id) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return HexFormat.of()
          .formatHex(mac.doFinal((purpose + ":" + id).getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JDK lacks " + ALGORITHM, e);
    }
  }

  /** Compares in a time that does not tell how much of it was right. */
  static boolean same(String expected, String shown) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), shown.getBytes(StandardCharsets.UTF_8));
  }
}

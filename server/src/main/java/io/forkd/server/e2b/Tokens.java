package io.forkd.server.e2b;

import io.forkd.base.SandboxId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tokens of sandboxes: each is derived from the daemon's secret, the sandbox's id and the key
 * of whom it was given to, so that forks differ, a restart changes nothing and nobody has to keep
 * them. A token ends with its key, whose id it shows.
 */
final class Tokens {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int DIGITS = 64;

  private final byte[] secret;
  private final Supplier<Set<String>> keys;

  /** What a token opens. */
  enum Purpose {
    /** The sandbox itself: processes, files, code. */
    ENVD,
    /** The servers in the sandbox: code and ports. */
    TRAFFIC
  }

  /**
   * Who shows a token.
   *
   * @param key of whom it was given to; empty for who needs none
   */
  record Bearer(Optional<String> key) {
    static final Bearer NOBODY = new Bearer(Optional.empty());
  }

  /**
   * @param keys the ids of those that hold now
   */
  Tokens(byte[] secret, Supplier<Set<String>> keys) {
    this.secret = secret.clone();
    this.keys = keys;
  }

  /** The token for who shows a key, or none. */
  String of(Purpose purpose, SandboxId id, Optional<String> key) {
    String about = purpose.name().toLowerCase(Locale.ROOT) + ":" + id;
    return digest(about + key.map(known -> ":" + known).orElse("")) + key.orElse("");
  }

  /** Who shows this; empty when it is no token for that, or its key holds no longer. */
  Optional<Bearer> bearer(Purpose purpose, SandboxId id, String shown) {
    Bearer claimed =
        shown.length() > DIGITS ? new Bearer(Optional.of(shown.substring(DIGITS))) : Bearer.NOBODY;
    boolean holds = claimed.key().map(key -> keys.get().contains(key)).orElse(true);
    return holds && same(of(purpose, id, claimed.key()), shown)
        ? Optional.of(claimed)
        : Optional.empty();
  }

  /** Who signed with a token of the sandbox itself. */
  Optional<Bearer> signer(SandboxId id, Signature signature) {
    return Stream.concat(
            Stream.of(Bearer.NOBODY), keys.get().stream().map(key -> new Bearer(Optional.of(key))))
        .filter(bearer -> signature.isBy(of(Purpose.ENVD, id, bearer.key())))
        .findFirst();
  }

  private String digest(String about) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return HexFormat.of().formatHex(mac.doFinal(about.getBytes(StandardCharsets.UTF_8)));
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

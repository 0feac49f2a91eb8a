package io.forkd.server;

import io.forkd.base.Sha256;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A named key as its holder shows it: {@code fk_<id>_<secret>}, or all of it in hexadecimal behind
 * {@code e2b_} for clients that insist on that shape.
 *
 * @param id 16 hexadecimal digits, no secret
 */
record ApiKey(String id, Secret secret) {
  private static final int ID_BYTES = 8;
  private static final int SECRET_BYTES = 32;
  private static final HexFormat HEX = HexFormat.of();
  private static final Pattern FORM = Pattern.compile("fk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})");
  private static final Pattern HEX_FORM =
      Pattern.compile("e2b_([0-9a-f]{%d})".formatted(2 * (ID_BYTES + SECRET_BYTES)));

  /** The bytes that only the holder knows; they never become text by accident. */
  static final class Secret {
    private final byte[] bytes;

    private Secret(byte[] bytes) {
      this.bytes = bytes;
    }

    /** What is kept of it: it has 256 random bits, so a plain digest cannot be turned back. */
    byte[] digest() {
      return Sha256.begin().digest(bytes);
    }

    @Override
    public String toString() {
      return "…";
    }
  }

  static ApiKey random(RandomGenerator random) {
    byte[] id = new byte[ID_BYTES];
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(id);
    random.nextBytes(secret);
    return new ApiKey(HEX.formatHex(id), new Secret(secret));
  }

  /** Whether a text is meant to be a key, however damaged. */
  static boolean looksLikeOne(String text) {
    return text.startsWith("fk_") || text.startsWith("e2b_");
  }

  static Optional<ApiKey> parse(String text) {
    Matcher plain = FORM.matcher(text);
    if (plain.matches()) {
      byte[] secret = Base64.getUrlDecoder().decode(plain.group(2));
      return Optional.of(new ApiKey(plain.group(1), new Secret(secret)))
          // The last of 43 characters has bits to spare: a key has one spelling only.
          .filter(key -> key.text().equals(text));
    }
    Matcher hex = HEX_FORM.matcher(text);
    if (hex.matches()) {
      String digits = hex.group(1);
      byte[] secret = HEX.parseHex(digits.substring(2 * ID_BYTES));
      return Optional.of(new ApiKey(digits.substring(0, 2 * ID_BYTES), new Secret(secret)));
    }
    return Optional.empty();
  }

  String text() {
    return "fk_" + id + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret.bytes);
  }

  /** The same key for clients of E2B. */
  String hexText() {
    return "e2b_" + id + HEX.formatHex(secret.bytes);
  }
}

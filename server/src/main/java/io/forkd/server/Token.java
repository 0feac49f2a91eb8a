package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Sha256;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.regex.Pattern;

/** The secret that callers over TCP must show. Only its digest is kept. */
final class Token {
  private static final int SHORTEST = 16;
  private static final int LARGEST_FILE = 4096;
  private static final Pattern PLACEHOLDER =
      Pattern.compile(
          "(replace|change|placeholder|example|your|insert|todo|token|secret|password|<|xxx|\\$\\{).*"
              + "|(.)\\2*");

  private final byte[] digest;

  private Token(byte[] digest) {
    this.digest = digest;
  }

  /** Takes the one token in a file; what cannot be a real secret is refused. */
  static Token read(Path file) {
    String next = "(umask 077; head -c 32 /dev/urandom | base64 > %s)".formatted(file);
    String text = new SecretFile(file).read("token file", next);
    if (text.length() > LARGEST_FILE) {
      throw unfit(file, "it is larger than %d characters".formatted(LARGEST_FILE));
    }
    return of(file, text.strip());
  }

  private static Token of(Path file, String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length < SHORTEST) {
      throw unfit(file, "the token is shorter than %d bytes".formatted(SHORTEST));
    }
    if (!text.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw unfit(file, "it does not hold exactly one token of visible ASCII characters");
    }
    if (PLACEHOLDER.matcher(text.toLowerCase(Locale.ROOT)).matches()) {
      throw unfit(file, "the token looks like a placeholder that was not replaced");
    }
    return new Token(digest(text));
  }

  /** Takes equally long whatever the candidate and its length. */
  boolean matches(String candidate) {
    return MessageDigest.isEqual(digest, digest(candidate));
  }

  private static ForkdException unfit(Path file, String why) {
    return ForkdException.badRequest(
        "The token file %s is not fit: %s. Next: (umask 077; head -c 32 /dev/urandom | base64 >"
            + " %s)",
        file, why, file);
  }

  private static byte[] digest(String text) {
    return Sha256.begin().digest(text.getBytes(StandardCharsets.UTF_8));
  }
}

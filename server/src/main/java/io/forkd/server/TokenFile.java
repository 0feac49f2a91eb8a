package io.forkd.server;

import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token as its file holds it now. A file that changes counts from the next request on; while it
 * is missing or unfit, no token opens the door.
 */
final class TokenFile {
  private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

  private final SecretFile file;
  private Version current;

  private record Version(SecretFile.Stamp stamp, Optional<Token> token) {}

  private TokenFile(SecretFile file, Version first) {
    this.file = file;
    this.current = first;
  }

  /** Refuses a file that is unfit from the beginning. */
  static TokenFile open(Path path) {
    SecretFile file = new SecretFile(path);
    // The stamp comes first: what is written after it makes the file read again.
    SecretFile.Stamp stamp = file.stamp();
    return new TokenFile(file, new Version(stamp, Optional.of(Token.read(path))));
  }

  boolean matches(String candidate) {
    return current().map(token -> token.matches(candidate)).orElse(false);
  }

  private synchronized Optional<Token> current() {
    SecretFile.Stamp stamp = file.stamp();
    if (!stamp.equals(current.stamp())) {
      current = new Version(stamp, reread());
    }
    return current.token();
  }

  private Optional<Token> reread() {
    try {
      Token token = Token.read(file.path());
      log.info("The token file {} changed: its new token counts, the old one no more", file.path());
      return Optional.of(token);
    } catch (ForkdException e) {
      log.error("No token opens the door until this is repaired: {}", e.getMessage());
      return Optional.empty();
    }
  }
}

package io.forkd.server.e2b;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;

/** The file with the secret that sandboxes' tokens are derived from; made when it is missing. */
final class TokenSecret {
  private static final int BYTES = 32;

  private TokenSecret() {}

  static byte[] in(Path folder) {
    Path file = folder.resolve("e2b.secret");
    try {
      return read(file);
    } catch (NoSuchFileException e) {
      return make(folder, file);
    } catch (IOException e) {
      throw failure("read", file, e);
    }
  }

  private static byte[] read(Path file) throws IOException {
    byte[] secret = Files.readAllBytes(file);
    if (secret.length != BYTES) {
      throw ForkdException.badRequest(
          "%s has %d bytes instead of %d, so it is not what the daemon wrote. Next: remove it; the"
              + " tokens of running sandboxes change then.",
          file, secret.length, BYTES);
    }
    return secret;
  }

  /** Whole or not at all: a daemon that dies meanwhile must not leave half a secret. */
  private static byte[] make(Path folder, Path file) {
    byte[] secret = new byte[BYTES];
    new SecureRandom().nextBytes(secret);
    Path draft = file.resolveSibling("e2b.secret.new");
    try {
      Files.createDirectories(folder);
      Files.deleteIfExists(draft);
      try (FileChannel out =
          FileChannel.open(
              draft,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        out.write(ByteBuffer.wrap(secret));
        out.force(true);
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw failure("write", file, e);
    }
    return secret;
  }

  private static ForkdException failure(String what, Path file, IOException e) {
    return new ForkdException(
        ErrorCode.HOST_FAILED,
        "Cannot %s the secret of sandboxes' tokens, %s: %s. Next: check who owns the data folder."
            .formatted(what, file, e),
        e);
  }
}

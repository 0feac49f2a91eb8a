package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Makes the folders sockets and run-time files are in. */
final class Folders {
  private Folders() {}

  /** One that is new lets others pass through to what is meant for them, but not look around. */
  static void make(Path folder) {
    try {
      if (!Files.isDirectory(folder)) {
        create(folder);
      }
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "Cannot make the folder %s: %s. Next: check who owns the folder above it, or set FORKD_RUN."
              .formatted(folder, e),
          e);
    }
  }

  private static void create(Path folder) throws IOException {
    Path parent = folder.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
  }
}

package io.forkd.server;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file that tells scripts which process the daemon is. */
final class PidFile implements AutoCloseable {
  private final Path file;

  private PidFile(Path file) {
    this.file = file;
  }

  /** Appears complete or not at all; replaces that of a daemon that died. */
  static PidFile write(Path file) {
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.writeString(draft, ProcessHandle.current().pid() + "\n");
      Files.move(draft, file, ATOMIC_MOVE);
      return new PidFile(file);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "Cannot write the pid file %s: %s. Next: check who owns the folder, or set FORKD_RUN."
              .formatted(file, e),
          e);
    }
  }

  /** {@code " (pid 7)"} for a message, or nothing when the file does not say. */
  static String describe(Path file) {
    try {
      String pid = Files.readString(file).strip();
      return pid.matches("\\d{1,10}") ? " (pid %s)".formatted(pid) : "";
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "Cannot remove the pid file %s: %s.".formatted(file, e), e);
    }
  }
}

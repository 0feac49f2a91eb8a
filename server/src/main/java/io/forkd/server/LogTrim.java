package io.forkd.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps the file that standard output goes to from growing without end. The descriptor is the
 * process's own and cannot be pointed elsewhere, so the file is copied and cut rather than renamed:
 * what is appended next begins it anew.
 */
final class LogTrim {
  private static final long LARGEST = 16L << 20;
  private static final int KEPT = 3;
  private static final int LINES_BETWEEN_LOOKS = 256;
  private static final int APPEND_FLAG = 02000;

  private final Path log;
  private final long largest;
  private final int linesBetweenLooks;
  private final AtomicInteger lines = new AtomicInteger();

  LogTrim(Path log, long largest, int linesBetweenLooks) {
    this.log = log;
    this.largest = largest;
    this.linesBetweenLooks = linesBetweenLooks;
  }

  /** Empty when standard output goes elsewhere, or would leave a hole where it was cut. */
  static Optional<LogTrim> ofStandardOutput(Path log) {
    try {
      boolean same = Files.exists(log) && Files.isSameFile(Path.of("/proc/self/fd/1"), log);
      return same && appends()
          ? Optional.of(new LogTrim(log, LARGEST, LINES_BETWEEN_LOOKS))
          : Optional.empty();
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static boolean appends() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo/1"))) {
      if (line.startsWith("flags:")) {
        return (Long.parseLong(line.substring(6).strip(), 8) & APPEND_FLAG) != 0;
      }
    }
    return false;
  }

  /** Whether enough was logged since it was last looked at. */
  boolean isDue() {
    return lines.incrementAndGet() % linesBetweenLooks == 0;
  }

  /** Cuts the log if it is large. Never fails: where there is no room for a copy, there is none. */
  void run() {
    try {
      if (Files.size(log) < largest) {
        return;
      }
      keepCopy();
    } catch (IOException e) {
      System.err.println("forkd daemon: cannot keep a copy of the log: " + e);
    }
    try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
      file.truncate(0);
    } catch (IOException e) {
      System.err.println("forkd daemon: cannot cut the log: " + e);
    }
  }

  private void keepCopy() throws IOException {
    for (int i = KEPT - 1; i > 0; i--) {
      if (Files.exists(numbered(i))) {
        Files.move(numbered(i), numbered(i + 1), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Path copy = numbered(1);
    try {
      Files.copy(log, copy, StandardCopyOption.COPY_ATTRIBUTES);
    } catch (IOException e) {
      Files.deleteIfExists(copy);
      throw e;
    }
  }

  private Path numbered(int number) {
    return log.resolveSibling(log.getFileName() + "." + number);
  }
}

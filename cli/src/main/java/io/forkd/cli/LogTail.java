package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;

/** The last lines of a log, read without reading all of it. */
final class LogTail {
  private static final int MOST_BYTES = 256 << 10;

  private LogTail() {}

  /** At most {@code count} lines, none from before {@code start}; empty when there is no log. */
  static List<String> lines(Path log, int count, long start) {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      long from = Math.max(start, file.length() - MOST_BYTES);
      byte[] bytes = new byte[(int) Math.max(0, file.length() - from)];
      file.seek(from);
      file.readFully(bytes);
      List<String> lines = new String(bytes, UTF_8).lines().toList();
      return lines.subList(Math.max(0, lines.size() - count), lines.size());
    } catch (IOException e) {
      return List.of();
    }
  }
}

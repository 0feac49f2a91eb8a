package io.forkd.vmm;

import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import io.forkd.linux.OpenFlag;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a VMM wrote to its standard output and error; it decides how long that is and what is in it.
 */
public final class VmmLog {
  private static final int LOG_TAIL_BYTES = 4096;
  private static final int LOG_TAIL_LINES = 5;
  private static final int LONGEST_BYTES = 256 * 1024;

  private VmmLog() {}

  /** The last lines, or none when it said nothing or its log is gone. */
  public static List<String> lastLines(VmSite site) {
    try (Fd log = HostFiles.open(site.log(), OpenFlag.READ)) {
      long from = Math.max(0, FileIo.size(log) - LOG_TAIL_BYTES);
      byte[] end = FileIo.read(log, from, LOG_TAIL_BYTES);
      String said =
          new String(end, StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.contains(QemuNic.NO_WIRE_WARNING))
              .collect(Collectors.joining("\n"));
      return LastLines.of(said, LOG_TAIL_LINES);
    } catch (LinuxException e) {
      return List.of();
    }
  }

  /** The last lines as the end of a sentence, or nothing when there are none. */
  static String lastWords(VmSite site) {
    List<String> lines = lastLines(site);
    return lines.isEmpty() ? "" : "; QEMU said: " + String.join(" | ", lines);
  }

  /**
   * Empties a log that has grown too long. The VMM appends to it, so that it goes on at the
   * beginning.
   */
  public static void bound(VmSite site) throws IOException {
    try (FileChannel log = FileChannel.open(site.log(), StandardOpenOption.WRITE)) {
      if (log.size() > LONGEST_BYTES) {
        log.truncate(0);
      }
    } catch (NoSuchFileException e) {
      // It has ended meanwhile.
    }
  }
}

package io.forkd.vmm;

import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import io.forkd.linux.OpenFlag;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a VMM wrote to its standard output and error; it decides how long that is and what is in it.
 */
final class VmmLog {
  private static final int LOG_TAIL_BYTES = 4096;
  private static final int LOG_TAIL_LINES = 5;

  private VmmLog() {}

  /** The last lines as the end of a sentence, or nothing when there are none. */
  static String lastWords(VmSite site) {
    try (Fd log = HostFiles.open(site.log(), OpenFlag.READ)) {
      long from = Math.max(0, FileIo.size(log) - LOG_TAIL_BYTES);
      byte[] end = FileIo.read(log, from, LOG_TAIL_BYTES);
      List<String> lines =
          new String(end, StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.contains(QemuNic.NO_WIRE_WARNING))
              .toList();
      String tail =
          String.join(
              " | ", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
      return tail.isBlank() ? "" : "; QEMU said: " + tail;
    } catch (LinuxException e) {
      return "";
    }
  }
}

package io.forkd.linux;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads and writes the control files of a group. */
final class CgroupFile {
  private CgroupFile() {}

  static void write(Path file, String value) {
    try (Fd fd = HostFiles.open(file, OpenFlag.WRITE)) {
      FileIo.pwrite(fd, ByteBuffer.wrap(value.getBytes(StandardCharsets.US_ASCII)), 0);
    } catch (LinuxException e) {
      throw new LinuxException("write", LinuxException.texts(file, value), e.errnoNumber());
    }
  }

  /** Writes a file of ours, outside of the hierarchy. */
  static void remember(Path file, String text) {
    try (Fd fd = HostFiles.open(file, 0600, OpenFlag.WRITE, OpenFlag.CREATE, OpenFlag.TRUNCATE)) {
      FileIo.pwrite(fd, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    }
  }

  static List<Long> processes(Path group) {
    return ProcFile.read(group.resolve("cgroup.procs"))
        .map(text -> text.lines().map(Long::valueOf).toList())
        .orElse(List.of());
  }

  static Set<String> words(Path file) {
    String text = ProcFile.read(file).orElse("").strip();
    return text.isEmpty() ? Set.of() : Set.of(text.split("\\s+"));
  }

  /** The number in a file; "max" is the largest there is. */
  static Optional<Long> number(Path file) {
    return ProcFile.read(file)
        .map(String::strip)
        .map(text -> text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text));
  }

  /** The number after a key in a file of "key number" lines. */
  static Optional<Long> number(Path file, String key) {
    return ProcFile.read(file).stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(key + " "))
        .map(line -> Long.valueOf(line.substring(key.length() + 1).strip()))
        .findFirst();
  }

  /** The devices at the beginnings of a file's lines. */
  static List<BlockDevice> devices(Path file) {
    return ProcFile.read(file).stream()
        .flatMap(String::lines)
        .flatMap(line -> BlockDevice.at(line).stream())
        .distinct()
        .toList();
  }
}

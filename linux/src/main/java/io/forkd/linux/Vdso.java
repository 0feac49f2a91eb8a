package io.forkd.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The code the kernel maps into every process; it holds a system call instruction. */
final class Vdso {
  /** AT_SYSINFO_EHDR of linux/auxvec.h. */
  static final long START = 33;

  private static final long SIZE = ownSize();

  private Vdso() {}

  private static long ownSize() {
    return Maps.of(ProcessHandle.current().pid()).stream()
        .flatMap(maps -> maps.ofFile("[vdso]").stream())
        .mapToLong(MemoryArea::size)
        .findFirst()
        .orElseThrow(() -> LinuxException.of("maps", Errno.ENOENT, "our own vdso"));
  }

  /** The address of such an instruction in a process that is stopped. */
  static long syscallInstruction(long pid, PtraceRegisters layout) {
    MemoryArea vdso = new MemoryArea(start(pid), SIZE, "[vdso]", "r-xp", 0);
    try (Mapping code = Mapping.anonymous(SIZE)) {
      ProcessMemory.read(pid, vdso, List.of(new PageRange(0, SIZE)), code);
      long found = layout.findInstruction(code.segment());
      if (found < 0) {
        throw LinuxException.of("ptrace", Errno.ENOEXEC, "vdso of pid " + pid);
      }
      return vdso.start() + found;
    }
  }

  private static long start(long pid) {
    ByteBuffer words = ByteBuffer.wrap(auxiliaryVector(pid)).order(ByteOrder.nativeOrder());
    while (words.remaining() >= 2 * Long.BYTES) {
      long name = words.getLong();
      long value = words.getLong();
      if (name == START) {
        return value;
      }
    }
    // It is shown empty when the process has just ended.
    throw LinuxException.of("auxv", Errno.ESRCH, "pid " + pid);
  }

  private static byte[] auxiliaryVector(long pid) {
    try {
      return Files.readAllBytes(Path.of("/proc", Long.toString(pid), "auxv"));
    } catch (IOException e) {
      throw LinuxException.of("auxv", Errno.ESRCH, "pid " + pid, e);
    }
  }
}

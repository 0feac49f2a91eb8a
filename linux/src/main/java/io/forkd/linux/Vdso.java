package io.forkd.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The code the kernel maps into every process; it holds a system call instruction, at the same
 * distance from its beginning in all processes.
 */
final class Vdso {
  /** AT_SYSINFO_EHDR of linux/auxvec.h. */
  static final long START = 33;

  private static final long UNKNOWN = -1;

  private static volatile long instruction = UNKNOWN;

  private Vdso() {}

  private static long findInOurs() {
    long self = ProcessHandle.current().pid();
    MemoryArea vdso =
        Maps.of(self).stream()
            .flatMap(maps -> maps.ofFile("[vdso]").stream())
            .findFirst()
            .orElseThrow(() -> LinuxException.of("maps", Errno.ENOENT, "our own vdso"));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment code = arena.allocate(vdso.size());
      ProcessMemory.read(self, vdso, code);
      long found = PtraceRegisters.host().findInstruction(code);
      if (found < 0) {
        throw LinuxException.of("vdso", Errno.ENOEXEC, vdso);
      }
      return found;
    }
  }

  /** The address of that instruction in a process that is stopped; it is seen to be there. */
  static long syscallInstruction(long pid) {
    if (instruction == UNKNOWN) {
      instruction = findInOurs();
    }
    PtraceRegisters layout = PtraceRegisters.host();
    long address = start(pid) + instruction;
    int size = layout.instructionSize();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment code = arena.allocate(size);
      ProcessMemory.read(pid, new MemoryArea(address, size, "[vdso]", "r-xp", 0), code);
      if (layout.findInstruction(code) != 0) {
        throw LinuxException.of("vdso", Errno.ENOEXEC, "pid " + pid);
      }
    }
    return address;
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

package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The C functions on memory mappings, one method each. */
final class MemoryCalls {
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int PROT_EXEC = 4;
  static final int MAP_SHARED = 1;
  static final int MAP_PRIVATE = 2;
  static final int MAP_ANONYMOUS = 0x20;
  static final int MAP_FIXED = 0x10;
  static final int MADV_POPULATE_READ = 22;
  static final int MADV_POPULATE_WRITE = 23;

  private static final MethodHandle MMAP =
      Native.bind(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MUNMAP =
      Native.bind("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle MADVISE =
      Native.bind("madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

  private MemoryCalls() {}

  /** The address the kernel chose. */
  // SAFETY: without MAP_FIXED the kernel takes only addresses nothing else uses.
  static long mmap(long length, int protection, int flags, int fd, long offset) {
    return Native.call(
        "mmap",
        (_, errno) -> (long) MMAP.invokeExact(errno, 0L, length, protection, flags, fd, offset),
        length + " bytes",
        "0x%x".formatted(protection),
        "0x%x".formatted(flags),
        fd,
        offset);
  }

  static void munmap(MemorySegment mapping) {
    Native.call(
        "munmap",
        (_, errno) -> (int) MUNMAP.invokeExact(errno, mapping, mapping.byteSize()),
        mapping.byteSize() + " bytes");
  }

  // SAFETY: only for advice that keeps what the pages hold.
  static void madvise(MemorySegment pages, int advice) {
    Native.call(
        "madvise",
        (_, errno) -> (int) MADVISE.invokeExact(errno, pages, pages.byteSize(), advice),
        pages.byteSize() + " bytes",
        advice);
  }
}

package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The C functions on files and descriptors, one method each, under their own names. */
final class FileCalls {
  private static final MethodHandle OPEN =
      Native.bindVariadic("open", 2, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle CLOSE =
      Native.bind("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle FCNTL =
      Native.bindVariadic(
          "fcntl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle IOCTL_VALUE =
      Native.bindVariadic(
          "ioctl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle IOCTL_POINTER =
      Native.bindVariadic(
          "ioctl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
  private static final MethodHandle PREAD =
      Native.bind(
          "pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle PWRITE =
      Native.bind(
          "pwrite", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle LSEEK =
      Native.bind("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle FTRUNCATE =
      Native.bind("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle FSYNC =
      Native.bind("fsync", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle FCHMOD =
      Native.bind("fchmod", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CHMOD =
      Native.bind("chmod", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle LCHOWN =
      Native.bind("lchown", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle MKDIR =
      Native.bind("mkdir", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle RMDIR =
      Native.bind("rmdir", FunctionDescriptor.of(JAVA_INT, ADDRESS));
  private static final MethodHandle UNLINK =
      Native.bind("unlink", FunctionDescriptor.of(JAVA_INT, ADDRESS));
  private static final MethodHandle MEMFD_CREATE =
      Native.bind("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle STATFS =
      Native.bind("statfs", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle STATX =
      Native.bind(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));

  private FileCalls() {}

  static int open(String path, int flags, int mode) {
    return (int)
        Native.call(
            "open",
            (arena, errno) ->
                (int) OPEN.invokeExact(errno, Native.string(arena, path), flags, mode),
            path,
            "0x%x".formatted(flags),
            "0%o".formatted(mode));
  }

  /** Never retried: Linux has released the descriptor even when it reports EINTR. */
  static void close(int fd) {
    long result = Native.tryCall((arena, errno) -> (int) CLOSE.invokeExact(errno, fd));
    if (result < 0 && -result != Errno.EINTR.number()) {
      throw LinuxException.of("close", Errno.of((int) -result), fd);
    }
  }

  static int fcntl(int fd, int command, int argument) {
    return (int)
        Native.call(
            "fcntl",
            (arena, errno) -> (int) FCNTL.invokeExact(errno, fd, command, argument),
            fd,
            command,
            argument);
  }

  /** The result, or the negative errno: many ioctls are asked only to see whether they exist. */
  static int tryIoctl(int fd, long request, long argument) {
    return (int)
        Native.tryCall(
            (arena, errno) -> (int) IOCTL_VALUE.invokeExact(errno, fd, request, argument));
  }

  // SAFETY: callers pass a segment at least as large as the struct encoded in the request.
  static int tryIoctl(int fd, long request, MemorySegment argument) {
    return (int)
        Native.tryCall(
            (arena, errno) -> (int) IOCTL_POINTER.invokeExact(errno, fd, request, argument));
  }

  static int ioctl(int fd, String name, long request, MemorySegment argument) {
    return (int)
        Native.call(
            "ioctl",
            (arena, errno) -> (int) IOCTL_POINTER.invokeExact(errno, fd, request, argument),
            fd,
            name,
            argument.byteSize() + " bytes");
  }

  static long pread(int fd, MemorySegment into, long offset) {
    return Native.call(
        "pread",
        (arena, errno) -> (long) PREAD.invokeExact(errno, fd, into, into.byteSize(), offset),
        fd,
        into.byteSize() + " bytes",
        offset);
  }

  static long pwrite(int fd, MemorySegment from, long offset) {
    return Native.call(
        "pwrite",
        (arena, errno) -> (long) PWRITE.invokeExact(errno, fd, from, from.byteSize(), offset),
        fd,
        from.byteSize() + " bytes",
        offset);
  }

  /** The new position, or the negative errno. */
  static long tryLseek(int fd, long offset, int whence) {
    return Native.tryCall((arena, errno) -> (long) LSEEK.invokeExact(errno, fd, offset, whence));
  }

  static void ftruncate(int fd, long size) {
    Native.call(
        "ftruncate", (arena, errno) -> (int) FTRUNCATE.invokeExact(errno, fd, size), fd, size);
  }

  static void fsync(int fd) {
    Native.call("fsync", (arena, errno) -> (int) FSYNC.invokeExact(errno, fd), fd);
  }

  static void fchmod(int fd, int mode) {
    Native.call(
        "fchmod",
        (arena, errno) -> (int) FCHMOD.invokeExact(errno, fd, mode),
        fd,
        "0%o".formatted(mode));
  }

  static void chmod(String path, int mode) {
    Native.call(
        "chmod",
        (arena, errno) -> (int) CHMOD.invokeExact(errno, Native.string(arena, path), mode),
        path,
        "0%o".formatted(mode));
  }

  static void lchown(String path, int uid, int gid) {
    Native.call(
        "lchown",
        (arena, errno) -> (int) LCHOWN.invokeExact(errno, Native.string(arena, path), uid, gid),
        path,
        uid,
        gid);
  }

  static void mkdir(String path, int mode) {
    Native.call(
        "mkdir",
        (arena, errno) -> (int) MKDIR.invokeExact(errno, Native.string(arena, path), mode),
        path,
        "0%o".formatted(mode));
  }

  /** Zero, or the negative errno. */
  static int tryRmdir(String path) {
    return (int)
        Native.tryCall(
            (arena, errno) -> (int) RMDIR.invokeExact(errno, Native.string(arena, path)));
  }

  static void unlink(String path) {
    Native.call(
        "unlink",
        (arena, errno) -> (int) UNLINK.invokeExact(errno, Native.string(arena, path)),
        path);
  }

  static int memfdCreate(String name, int flags) {
    return (int)
        Native.call(
            "memfd_create",
            (arena, errno) ->
                (int) MEMFD_CREATE.invokeExact(errno, Native.string(arena, name), flags),
            name,
            "0x%x".formatted(flags));
  }

  static void statfs(String path, MemorySegment result) {
    Native.call(
        "statfs",
        (arena, errno) -> (int) STATFS.invokeExact(errno, Native.string(arena, path), result),
        path);
  }

  static void statx(int directory, String path, int flags, int mask, MemorySegment result) {
    Native.call(
        "statx",
        (arena, errno) ->
            (int)
                STATX.invokeExact(
                    errno, directory, Native.string(arena, path), flags, mask, result),
        directory,
        path,
        "0x%x".formatted(flags));
  }
}

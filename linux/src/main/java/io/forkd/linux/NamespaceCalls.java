package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The C functions on namespaces and mounts, one method each. */
final class NamespaceCalls {
  static final int CLONE_NEWNS = 0x00020000;
  static final int CLONE_NEWUTS = 0x04000000;
  static final int CLONE_NEWIPC = 0x08000000;
  static final int CLONE_NEWNET = 0x40000000;
  static final long MS_BIND = 4096;
  static final long MS_REC = 16384;
  static final long MS_SLAVE = 1 << 19;
  static final long MS_SHARED = 1 << 20;
  static final int MNT_DETACH = 2;

  private static final MethodHandle SETNS =
      Native.bind("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle UNSHARE =
      Native.bind("unshare", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle MOUNT =
      Native.bind(
          "mount", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
  private static final MethodHandle UMOUNT2 =
      Native.bind("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

  private NamespaceCalls() {}

  /** Moves the calling thread, and no other, into the namespace a file stands for. */
  static void setns(Fd namespace, int type, Path shown) {
    Native.call(
        "setns",
        (arena, errno) -> (int) SETNS.invokeExact(errno, namespace.number(), type),
        shown,
        "0x%x".formatted(type));
  }

  /** Gives the calling thread, and no other, new namespaces. */
  static void unshare(int flags) {
    Native.call(
        "unshare",
        (arena, errno) -> (int) UNSHARE.invokeExact(errno, flags),
        "0x%x".formatted(flags));
  }

  static void bindMount(Path source, Path target, long flags) {
    Native.call(
        "mount",
        (arena, errno) ->
            (int)
                MOUNT.invokeExact(
                    errno,
                    Native.string(arena, source.toString()),
                    Native.string(arena, target.toString()),
                    none(arena),
                    MS_BIND | flags,
                    MemorySegment.NULL),
        source,
        target,
        "0x%x".formatted(MS_BIND | flags));
  }

  /** Zero, or the negative errno: EINVAL when nothing is mounted there. */
  static int tryPropagation(Path target, long flags) {
    return (int)
        Native.tryCall(
            (arena, errno) ->
                (int)
                    MOUNT.invokeExact(
                        errno,
                        none(arena),
                        Native.string(arena, target.toString()),
                        none(arena),
                        flags,
                        MemorySegment.NULL));
  }

  /** Zero, or the negative errno: EINVAL when nothing is mounted there. */
  static int tryUnmount(Path target) {
    return (int)
        Native.tryCall(
            (arena, errno) ->
                (int)
                    UMOUNT2.invokeExact(
                        errno, Native.string(arena, target.toString()), MNT_DETACH));
  }

  private static MemorySegment none(Arena arena) {
    return Native.string(arena, "none");
  }
}

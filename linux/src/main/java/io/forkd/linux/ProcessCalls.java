package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The C functions and system calls on processes, one method each. */
final class ProcessCalls {
  static final int SIGINFO_SIZE = 128;
  static final int SIGINFO_CODE_OFFSET = 8;
  static final int SIGINFO_STATUS_OFFSET = 24;
  static final int SC_CLK_TCK = 2;
  static final int SC_PAGESIZE = 30;
  static final int SC_LEVEL1_ICACHE_LINESIZE = 187;
  static final int POLLFD_SIZE = 8;
  private static final int POLLFD_EVENTS_OFFSET = 4;
  private static final short POLLIN = 1;
  private static final int P_PID = 1;
  private static final int P_PIDFD = 3;
  private static final int WNOHANG = 1;
  private static final int WEXITED = 4;

  private static final MethodHandle SYSCALL =
      Native.bindVariadic(
          "syscall",
          1,
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SYSCALL_POINTER =
      Native.bindVariadic(
          "syscall",
          1,
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle WAITID =
      Native.bind("waitid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle KILL =
      Native.bind("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle POLL =
      Native.bind("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle SYSCONF =
      Native.bind("sysconf", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));

  private ProcessCalls() {}

  static Fd pidfdOpen(long pid) {
    return Fd.owning((int) syscall("pidfd_open", Arch.PIDFD_OPEN, pid, 0));
  }

  /** Zero, or the negative errno. */
  static int tryPidfdSendSignal(int pidfd, int signal) {
    return (int) trySyscall(Arch.PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0);
  }

  static Fd pidfdGetfd(int pidfd, int target) {
    return Fd.owning((int) syscall("pidfd_getfd", Arch.PIDFD_GETFD, pidfd, target));
  }

  static long syscall(String name, int number, long first, long second) {
    return Native.call(
        name,
        (arena, errno) ->
            (long) SYSCALL.invokeExact(errno, (long) number, first, second, 0L, 0L, 0L),
        first,
        second);
  }

  /** A system call without pointers: its result, or the negative errno. */
  static long trySyscall(int number, long first, long second, long third, long fourth) {
    return Native.tryCall(
        (arena, errno) ->
            (long) SYSCALL.invokeExact(errno, (long) number, first, second, third, fourth, 0L));
  }

  /** A system call whose first argument is memory: its result, or the negative errno. */
  // SAFETY: callers pass a segment at least as large as the struct that call reads or writes.
  static long trySyscall(
      int number, MemorySegment first, long second, long third, long fourth, long fifth) {
    return Native.tryCall(
        (arena, errno) ->
            (long)
                SYSCALL_POINTER.invokeExact(
                    errno, (long) number, first, second, third, fourth, fifth));
  }

  /** Ends a child of this process that no pidfd could be had for. */
  static void killAndReap(long pid) {
    Native.call(
        "kill", (_, errno) -> (int) KILL.invokeExact(errno, (int) pid, Signal.KILL.number()), pid);
    Native.call(
        "waitid",
        (arena, errno) ->
            (int)
                WAITID.invokeExact(
                    errno, P_PID, (int) pid, arena.allocate(SIGINFO_SIZE, Long.BYTES), WEXITED),
        "P_PID",
        pid);
  }

  /** Collects a child that has ended, without waiting for it. */
  static void waitid(int pidfd, MemorySegment siginfo) {
    Native.call(
        "waitid",
        (arena, errno) ->
            (int) WAITID.invokeExact(errno, P_PIDFD, pidfd, siginfo, WEXITED | WNOHANG),
        "P_PIDFD",
        pidfd);
  }

  /** Whether a descriptor is readable right now. */
  static boolean readable(int fd) {
    return Native.call(
            "poll",
            (arena, errno) -> {
              MemorySegment pollfd = arena.allocate(POLLFD_SIZE, Integer.BYTES);
              pollfd.set(JAVA_INT, 0, fd);
              pollfd.set(JAVA_SHORT, POLLFD_EVENTS_OFFSET, POLLIN);
              return (int) POLL.invokeExact(errno, pollfd, 1L, 0);
            },
            fd)
        > 0;
  }

  /** Zero or less when the C library does not know. */
  static long trySysconf(int name) {
    return Native.tryCall((_, errno) -> (long) SYSCONF.invokeExact(errno, name));
  }

  static long sysconf(int name) {
    return Native.call("sysconf", (arena, errno) -> (long) SYSCONF.invokeExact(errno, name), name);
  }
}

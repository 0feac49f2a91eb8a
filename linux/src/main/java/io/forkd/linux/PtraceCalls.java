package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** ptrace and the wait for stops; all for one process from one and the same platform thread. */
final class PtraceCalls {
  static final int CONT = 7;
  static final int DETACH = 17;
  static final int SYSCALL = 24;
  static final int SEIZE = 0x4206;
  static final int INTERRUPT = 0x4207;
  static final int GETREGSET = 0x4204;
  static final int SETREGSET = 0x4205;
  static final int GETSIGMASK = 0x420a;
  static final int SETSIGMASK = 0x420b;
  static final int TRACESYSGOOD = 1;
  private static final int NT_PRSTATUS = 1;
  private static final int P_PID = 1;
  private static final int WNOHANG_WSTOPPED_WALL = 1 | 2 | 0x40000000;

  private static final MethodHandle PTRACE_VALUE =
      Native.bindVariadic(
          "ptrace", 1, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle PTRACE_POINTER =
      Native.bindVariadic(
          "ptrace", 1, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
  private static final MethodHandle WAITID =
      Native.bind("waitid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  private PtraceCalls() {}

  static void ptrace(String name, int request, int pid, long data) {
    Native.call(
        "ptrace",
        (_, errno) -> (long) PTRACE_VALUE.invokeExact(errno, request, pid, 0L, data),
        name,
        "pid " + pid,
        data);
  }

  static void registers(int request, int pid, MemorySegment registers) {
    Native.call(
        "ptrace",
        (arena, errno) -> {
          MemorySegment iovec = arena.allocate(16, Long.BYTES);
          iovec.set(ADDRESS, 0, registers);
          iovec.set(JAVA_LONG, 8, registers.byteSize());
          // SAFETY: the kernel moves at most as many bytes as the vector says the segment has.
          return (long) PTRACE_POINTER.invokeExact(errno, request, pid, (long) NT_PRSTATUS, iovec);
        },
        request == GETREGSET ? "PTRACE_GETREGSET" : "PTRACE_SETREGSET",
        "pid " + pid);
  }

  static long signalMask(int pid) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(JAVA_LONG);
      signalMask(GETSIGMASK, pid, mask);
      return mask.get(JAVA_LONG, 0);
    }
  }

  static void signalMask(int pid, long bits) {
    try (Arena arena = Arena.ofConfined()) {
      signalMask(SETSIGMASK, pid, arena.allocateFrom(JAVA_LONG, bits));
    }
  }

  // SAFETY: the kernel's signal set is 8 bytes, which is what the segment has.
  private static void signalMask(int request, int pid, MemorySegment mask) {
    Native.call(
        "ptrace",
        (_, errno) ->
            (long) PTRACE_POINTER.invokeExact(errno, request, pid, (long) Long.BYTES, mask),
        request == GETSIGMASK ? "PTRACE_GETSIGMASK" : "PTRACE_SETSIGMASK",
        "pid " + pid);
  }

  /** The stop that has come, as signal and event; zero when none has yet. */
  static int stopped(int pid) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment siginfo = arena.allocate(ProcessCalls.SIGINFO_SIZE, Long.BYTES);
      Native.call(
          "waitid",
          (_, errno) -> (int) WAITID.invokeExact(errno, P_PID, pid, siginfo, WNOHANG_WSTOPPED_WALL),
          "pid " + pid);
      return siginfo.get(JAVA_INT, ProcessCalls.SIGINFO_STATUS_OFFSET);
    }
  }
}

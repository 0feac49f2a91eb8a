package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * ptrace and the wait for stops, for one process and from one and the same platform thread. All the
 * memory the calls need is made once, because hundreds of them follow each other.
 */
final class PtraceCalls {
  static final int CONT = 7;
  static final int DETACH = 17;
  static final int SYSCALL = 24;
  static final int SETOPTIONS = 0x4200;
  static final int SEIZE = 0x4206;
  static final int INTERRUPT = 0x4207;
  static final int GETREGSET = 0x4204;
  static final int SETREGSET = 0x4205;
  static final int GETSIGMASK = 0x420a;
  static final int SETSIGMASK = 0x420b;
  static final int TRACESYSGOOD = 1;
  static final int EXITKILL = 1 << 20;
  static final int NT_PRSTATUS = 1;
  static final int IOVEC_SIZE = 16;
  static final int P_PID = 1;
  static final int WSTOPPED = 2;
  static final int WEXITED = 4;
  static final int WNOWAIT = 0x1000000;
  static final int WALL = 0x40000000;
  static final int CLD_TRAPPED = 4;

  /** WNOWAIT, because the end of a process is for its own watcher to collect. */
  private static final int STOP_OR_END = WSTOPPED | WEXITED | WNOWAIT | WALL;

  private static final int CODE_OFFSET = ProcessCalls.SIGINFO_CODE_OFFSET;

  private static final MethodHandle PTRACE =
      Native.bindVariadic(
          "ptrace", 1, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle WAITID =
      Native.bind("waitid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  private final int pid;
  private final MemorySegment errno;
  private final MemorySegment siginfo;
  private final MemorySegment mask;
  private final MemorySegment iovec;

  PtraceCalls(long pid, Arena arena) {
    this.pid = (int) pid;
    this.errno = Native.errnoRoom(arena);
    this.siginfo = arena.allocate(ProcessCalls.SIGINFO_SIZE, Long.BYTES);
    this.mask = arena.allocate(JAVA_LONG);
    this.iovec = arena.allocate(IOVEC_SIZE, Long.BYTES);
  }

  /** Makes this thread the tracer without stopping the process. */
  void seize(int options) {
    ptrace("PTRACE_SEIZE", SEIZE, 0, options);
  }

  void interrupt() {
    ptrace("PTRACE_INTERRUPT", INTERRUPT, 0, 0);
  }

  void options(int options) {
    ptrace("PTRACE_SETOPTIONS", SETOPTIONS, 0, options);
  }

  /** Lets it run on, and receive a signal unless that is zero. */
  void resume(int signal) {
    ptrace("PTRACE_CONT", CONT, 0, signal);
  }

  /** Lets it run to where it next enters or leaves the kernel. */
  void resumeToSyscall(int signal) {
    ptrace("PTRACE_SYSCALL", SYSCALL, 0, signal);
  }

  void detach() {
    ptrace("PTRACE_DETACH", DETACH, 0, 0);
  }

  // SAFETY: the kernel moves at most as many bytes as the vector says the segment has.
  void readRegisters(MemorySegment into) {
    ptrace("PTRACE_GETREGSET", GETREGSET, NT_PRSTATUS, vector(into));
  }

  void writeRegisters(MemorySegment from) {
    ptrace("PTRACE_SETREGSET", SETREGSET, NT_PRSTATUS, vector(from));
  }

  private long vector(MemorySegment registers) {
    iovec.set(ADDRESS, 0, registers);
    iovec.set(JAVA_LONG, Long.BYTES, registers.byteSize());
    return iovec.address();
  }

  // SAFETY: the kernel's signal set is 8 bytes, which is what the segment has.
  long signalMask() {
    ptrace("PTRACE_GETSIGMASK", GETSIGMASK, Long.BYTES, mask.address());
    return mask.get(JAVA_LONG, 0);
  }

  void signalMask(long bits) {
    mask.set(JAVA_LONG, 0, bits);
    ptrace("PTRACE_SETSIGMASK", SETSIGMASK, Long.BYTES, mask.address());
  }

  private void ptrace(String name, int request, long address, long data) {
    long result;
    try {
      result = (long) PTRACE.invokeExact(errno, request, pid, address, data);
    } catch (Throwable e) {
      throw impossible(e);
    }
    if (result < 0) {
      throw failed("ptrace", name);
    }
  }

  /** Waits for the next stop, as signal and event; zero when the process ends instead. */
  int awaitStop() {
    int result;
    do {
      try {
        result = (int) WAITID.invokeExact(errno, P_PID, pid, siginfo, STOP_OR_END);
      } catch (Throwable e) {
        throw impossible(e);
      }
    } while (result < 0 && Native.errno(errno) == Errno.EINTR.number());
    if (result < 0 && Native.errno(errno) != Errno.ECHILD.number()) {
      throw failed("waitid", "P_PID");
    }
    boolean stopped = result == 0 && siginfo.get(JAVA_INT, CODE_OFFSET) >= CLD_TRAPPED;
    return stopped ? siginfo.get(JAVA_INT, ProcessCalls.SIGINFO_STATUS_OFFSET) : 0;
  }

  private LinuxException failed(String call, String what) {
    return new LinuxException(call, LinuxException.texts(what, "pid " + pid), Native.errno(errno));
  }

  private static LinkageError impossible(Throwable e) {
    return new LinkageError("a C call threw, which none can", e);
  }
}

package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** Where a stopped thread's general registers hold what a system call needs, per architecture. */
abstract class PtraceRegisters {
  /** struct user_regs_struct of sys/user.h. */
  private static final PtraceRegisters X86_64 =
      new PtraceRegisters(
          27, 16, 10, 10, new int[] {14, 13, 12, 7, 9, 8}, new int[] {0x0f, 0x05}, 1) {
        private static final int ORIG_RAX = 15;
        private static final int RESTART_SYSCALL = 219;

        @Override
        void forgetWhatItDid(MemorySegment registers) {
          registers.setAtIndex(JAVA_LONG, ORIG_RAX, -1);
        }

        // A call the stop interrupted has a kernel-internal result; done here as the kernel would
        // do it on its way back, because after an injected call it no longer takes that way.
        @Override
        void restartInterruptedCall(MemorySegment registers) {
          long number = registers.getAtIndex(JAVA_LONG, ORIG_RAX);
          long result = registers.getAtIndex(JAVA_LONG, 10);
          boolean restartBlock = result == -516;
          if (number >= 0 && (restartBlock || (result <= -512 && result >= -514))) {
            registers.setAtIndex(JAVA_LONG, 10, restartBlock ? RESTART_SYSCALL : number);
            registers.setAtIndex(JAVA_LONG, 16, registers.getAtIndex(JAVA_LONG, 16) - 2);
          }
          forgetWhatItDid(registers);
        }
      };

  /** struct user_pt_regs of asm/ptrace.h; the kernel rewinds interrupted calls before the stop. */
  private static final PtraceRegisters AARCH64 =
      new PtraceRegisters(
          34, 32, 8, 0, new int[] {0, 1, 2, 3, 4, 5}, new int[] {0x01, 0x00, 0x00, 0xd4}, 4) {
        private static final int PSTATE = 33;
        private static final long BRANCH_TYPE = 0b11 << 10;

        // Stopped right after an indirect branch, a thread may go on only at a landing pad, which
        // the instruction we send it to is not.
        @Override
        void forgetWhatItDid(MemorySegment registers) {
          long state = registers.getAtIndex(JAVA_LONG, PSTATE);
          registers.setAtIndex(JAVA_LONG, PSTATE, state & ~BRANCH_TYPE);
        }

        @Override
        void restartInterruptedCall(MemorySegment registers) {}
      };

  final int count;
  final int programCounter;
  private final int number;
  private final int result;
  private final int[] arguments;
  private final int[] instruction;
  private final int alignment;

  private PtraceRegisters(
      int count,
      int programCounter,
      int number,
      int result,
      int[] arguments,
      int[] instruction,
      int alignment) {
    this.count = count;
    this.programCounter = programCounter;
    this.number = number;
    this.result = result;
    this.arguments = arguments;
    this.instruction = instruction;
    this.alignment = alignment;
  }

  static PtraceRegisters host() {
    return of(Arch.host());
  }

  static PtraceRegisters of(Arch arch) {
    return switch (arch) {
      case X86_64 -> X86_64;
      case AARCH64 -> AARCH64;
    };
  }

  /** Removes from the state what would make the thread's next step depend on its last one. */
  abstract void forgetWhatItDid(MemorySegment registers);

  abstract void restartInterruptedCall(MemorySegment registers);

  void prepareCall(MemorySegment registers, long instructionAt, int call, long... values) {
    registers.setAtIndex(JAVA_LONG, programCounter, instructionAt);
    registers.setAtIndex(JAVA_LONG, number, call);
    for (int i = 0; i < arguments.length; i++) {
      registers.setAtIndex(JAVA_LONG, arguments[i], i < values.length ? values[i] : 0);
    }
    forgetWhatItDid(registers);
  }

  long result(MemorySegment registers) {
    return registers.getAtIndex(JAVA_LONG, result);
  }

  int instructionSize() {
    return instruction.length;
  }

  /** The distance of a system call instruction from the beginning of some code, or -1. */
  long findInstruction(MemorySegment code) {
    for (long at = 0; at <= code.byteSize() - instruction.length; at += alignment) {
      int matched = 0;
      while (matched < instruction.length
          && Byte.toUnsignedInt(code.get(JAVA_BYTE, at + matched)) == instruction[matched]) {
        matched++;
      }
      if (matched == instruction.length) {
        return at;
      }
    }
    return -1;
  }
}

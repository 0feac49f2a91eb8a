package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The settings of a terminal as they were found, to go back to. The kernel's own {@code struct
 * termios} is used, whose layout, numbers and requests are those of asm-generic on x86_64 and
 * aarch64 alike.
 */
public final class TerminalMode {
  private static final long TCGETS = 0x5401;
  private static final long TCSETSW = 0x5403;

  /** Four words of flags, the line discipline and 19 control characters. */
  private static final int SIZE = 36;

  private static final int INPUT = 0;
  private static final int OUTPUT = 4;
  private static final int CONTROL = 8;
  private static final int LOCAL = 12;
  private static final int CHARACTERS = 17;
  private static final int VTIME = 5;
  private static final int VMIN = 6;

  /** IGNBRK, BRKINT, PARMRK, ISTRIP, INLCR, IGNCR, ICRNL, IXON. */
  private static final int INPUT_WORK =
      0x0001 | 0x0002 | 0x0008 | 0x0020 | 0x0040 | 0x0080 | 0x0100 | 0x0400;

  private static final int OPOST = 0x0001;
  private static final int CSIZE_PARENB = 0x0030 | 0x0100;
  private static final int CS8 = 0x0030;

  /** ISIG, ICANON, ECHO, ECHONL, IEXTEN. */
  private static final int LOCAL_WORK = 0x0001 | 0x0002 | 0x0008 | 0x0040 | 0x8000;

  private final int descriptor;
  private final byte[] found;

  private TerminalMode(int descriptor, byte[] found) {
    this.descriptor = descriptor;
    this.found = found;
  }

  /** The settings of the terminal on a descriptor; empty when there is none. */
  public static Optional<TerminalMode> of(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment termios = arena.allocate(SIZE, 4);
      // SAFETY: TCGETS fills a struct termios, which has SIZE bytes.
      return FileCalls.tryIoctl(descriptor, TCGETS, termios) < 0
          ? Optional.empty()
          : Optional.of(new TerminalMode(descriptor, termios.toArray(JAVA_BYTE)));
    }
  }

  /** Lets every key through as it is typed and every byte as it is written, until restored. */
  public void makeRaw() {
    byte[] raw = found.clone();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment termios = arena.allocate(SIZE, 4).copyFrom(MemorySegment.ofArray(raw));
      clear(termios, INPUT, INPUT_WORK);
      clear(termios, OUTPUT, OPOST);
      clear(termios, CONTROL, CSIZE_PARENB);
      termios.set(JAVA_INT, CONTROL, termios.get(JAVA_INT, CONTROL) | CS8);
      clear(termios, LOCAL, LOCAL_WORK);
      termios.set(JAVA_BYTE, CHARACTERS + VMIN, (byte) 1);
      termios.set(JAVA_BYTE, CHARACTERS + VTIME, (byte) 0);
      FileCalls.ioctl(descriptor, "TCSETSW", TCSETSW, termios);
    }
  }

  /** Goes back to what was found; a terminal that is gone needs no going back. */
  public void restore() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment termios = arena.allocate(SIZE, 4).copyFrom(MemorySegment.ofArray(found));
      // SAFETY: TCSETSW reads a struct termios, which has SIZE bytes.
      FileCalls.tryIoctl(descriptor, TCSETSW, termios);
    }
  }

  private static void clear(MemorySegment termios, int offset, int flags) {
    termios.set(JAVA_INT, offset, termios.get(JAVA_INT, offset) & ~flags);
  }
}

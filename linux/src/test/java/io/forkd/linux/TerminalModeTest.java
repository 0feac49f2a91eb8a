package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a new pseudo-terminal, whose settings its master side tells and changes too. */
@Timeout(60)
class TerminalModeTest {
  private static final int O_RDWR_NOCTTY = 0x102;
  private static final long TIOCSWINSZ = 0x5414;

  private final int master = FileCalls.open("/dev/ptmx", O_RDWR_NOCTTY, 0);

  @AfterEach
  void close() {
    FileCalls.close(master);
  }

  private MemorySegment settings(Arena arena) {
    MemorySegment termios = arena.allocate(36, 4);
    FileCalls.ioctl(master, "TCGETS", 0x5401, termios);
    return termios;
  }

  @Test
  void rawMeansNoEchoNoLinesNoSignalsAndGoesBackToWhatWasFound() {
    try (Arena arena = Arena.ofConfined()) {
      byte[] before = settings(arena).toArray(ValueLayout.JAVA_BYTE);
      TerminalMode mode = TerminalMode.of(master).orElseThrow();
      mode.makeRaw();
      MemorySegment raw = settings(arena);
      assertThat(raw.get(ValueLayout.JAVA_INT, 12) & 0x804b)
          .as("ISIG ICANON ECHO ECHONL IEXTEN")
          .isZero();
      assertThat(raw.get(ValueLayout.JAVA_INT, 4) & 1).as("OPOST").isZero();
      assertThat(raw.get(ValueLayout.JAVA_INT, 0) & 0x500).as("ICRNL IXON").isZero();
      assertThat(raw.get(ValueLayout.JAVA_INT, 8) & 0x30).as("CS8").isEqualTo(0x30);
      mode.restore();
      assertThat(settings(arena).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    }
  }

  @Test
  void whatIsNoTerminalHasNeitherModeNorSize() {
    int file = FileCalls.open("/proc/self/status", 0, 0);
    try {
      assertThat(TerminalMode.of(file)).isEmpty();
      assertThat(WindowSize.of(file)).isEmpty();
    } finally {
      FileCalls.close(file);
    }
    assertThat(WindowSize.of(master)).as("a terminal that knows no size").isEmpty();
  }

  @Test
  void theSizeIsThatOfTheWindow() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(ValueLayout.JAVA_SHORT, 4);
      size.setAtIndex(ValueLayout.JAVA_SHORT, 0, (short) 33);
      size.setAtIndex(ValueLayout.JAVA_SHORT, 1, (short) 101);
      FileCalls.ioctl(master, "TIOCSWINSZ", TIOCSWINSZ, size);
    }
    assertThat(WindowSize.of(master)).contains(new WindowSize(101, 33));
  }
}

package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** How many characters a terminal shows. */
public record WindowSize(int columns, int rows) {
  private static final long TIOCGWINSZ = 0x5413;

  /** That of the terminal on a descriptor; empty when there is none, or none that knows. */
  public static Optional<WindowSize> of(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment winsize = arena.allocate(JAVA_SHORT, 4);
      // SAFETY: TIOCGWINSZ fills a struct winsize, which has four shorts.
      if (FileCalls.tryIoctl(descriptor, TIOCGWINSZ, winsize) < 0) {
        return Optional.empty();
      }
      return Optional.of(
              new WindowSize(
                  Short.toUnsignedInt(winsize.getAtIndex(JAVA_SHORT, 1)),
                  Short.toUnsignedInt(winsize.getAtIndex(JAVA_SHORT, 0))))
          .filter(size -> size.columns > 0 && size.rows > 0);
    }
  }
}

package io.forkd.vmm;

import java.util.List;
import java.util.Optional;

/**
 * That a guest stopped itself.
 *
 * @param panic what its kernel gave as the reason when it panicked; empty when it was shut down or
 *     restarted from inside
 * @param console what it wrote about that, or last
 */
public record GuestStop(Optional<String> panic, List<String> console) {
  private static final String PANIC = "Kernel panic - not syncing: ";
  private static final String END_OF_PANIC = "---[";
  private static final int LINES_BEFORE = 5;
  private static final int LINES_AFTER = 30;
  private static final int MOST = 10_000;

  public GuestStop {
    console = List.copyOf(console);
  }

  /** What the console of a stopped guest tells. Whoever is root in the guest can make that up. */
  static GuestStop of(String console) {
    List<String> lines = LastLines.of(console, MOST);
    int at = lines.size() - 1;
    while (at >= 0 && !isPanic(lines.get(at))) {
      at--;
    }
    if (at < 0) {
      return new GuestStop(Optional.empty(), LastLines.of(console, LINES_AFTER));
    }
    String panic = lines.get(at).substring(lines.get(at).indexOf(PANIC) + PANIC.length());
    return new GuestStop(
        Optional.of(panic.strip()),
        lines.subList(Math.max(0, at - LINES_BEFORE), Math.min(lines.size(), at + LINES_AFTER)));
  }

  private static boolean isPanic(String line) {
    return line.contains(PANIC) && !line.contains(END_OF_PANIC);
  }
}

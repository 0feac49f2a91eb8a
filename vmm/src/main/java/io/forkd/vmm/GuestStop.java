package io.forkd.vmm;

import java.util.List;
import java.util.Optional;

/**
 * That a guest stopped itself.
 *
 * @param panic what its kernel gave as the reason when it panicked; empty when it was shut down or
 *     restarted from inside
 * @param console the last lines it wrote
 */
public record GuestStop(Optional<String> panic, List<String> console) {
  private static final String PANIC = "Kernel panic - not syncing: ";
  private static final int LINES = 30;

  public GuestStop {
    console = List.copyOf(console);
  }

  /** What the console of a stopped guest tells. Whoever is root in the guest can make that up. */
  static GuestStop of(String console) {
    List<String> lines = LastLines.of(console, LINES);
    Optional<String> panic =
        lines.stream()
            .filter(line -> line.contains(PANIC) && !line.contains("---["))
            .map(line -> line.substring(line.indexOf(PANIC) + PANIC.length()).strip())
            .reduce((first, last) -> last);
    return new GuestStop(panic, lines);
  }
}

package io.forkd.linux;

/**
 * Whether the kernel or host offers something, found out by trying it.
 *
 * @param reason what was found, in either case: a sentence for people
 */
public record Probe(boolean works, String reason) {
  static Probe yes(String found) {
    return new Probe(true, found);
  }

  static Probe no(String found) {
    return new Probe(false, found);
  }

  static Probe no(LinuxException e) {
    return new Probe(false, e.getMessage());
  }
}

package io.forkd.bench;

import java.io.PrintStream;

/** Tells a person what is being measured, in lines. */
final class Narrator {
  private static final long QUIET_NANOS = 5_000_000_000L;

  private final PrintStream err;
  private long nextRepeat;

  Narrator(PrintStream err) {
    this.err = err;
  }

  /** A step has begun. */
  synchronized void begin(String sentence) {
    err.println("… " + sentence);
    nextRepeat = System.nanoTime() + QUIET_NANOS;
  }

  /** The step goes on; said every few seconds however often this is called. */
  synchronized void goesOn(String sentence) {
    if (System.nanoTime() - nextRepeat >= 0) {
      begin(sentence);
    }
  }

  synchronized void warn(String sentence) {
    err.println("! " + sentence);
  }
}

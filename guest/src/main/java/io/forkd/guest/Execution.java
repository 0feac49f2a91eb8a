package io.forkd.guest;

import java.time.Duration;
import java.util.Optional;

/** Code that runs. Who does not take its events holds up its context alone. */
public interface Execution extends AutoCloseable {
  /** The next event; empty when none came in that time. */
  Optional<CodeEvent> next(Duration wait) throws InterruptedException;

  /** Interrupts the code, which ends with a failure that its language has for this. */
  void interrupt();

  /** Lets go of it; code that still runs is interrupted. */
  @Override
  void close();
}

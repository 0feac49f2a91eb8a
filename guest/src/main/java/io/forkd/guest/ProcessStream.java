package io.forkd.guest;

import java.time.Duration;
import java.util.Optional;

/**
 * What a process writes, as it comes, and how it ends. Who does not take events holds up that
 * process alone. Closing it lets go of the process, which goes on.
 */
public interface ProcessStream extends AutoCloseable {
  long pid();

  /**
   * The next event; empty when none came in that time. After {@link ProcessEvent.Ended} nothing
   * comes any more.
   */
  Optional<ProcessEvent> next(Duration wait) throws InterruptedException;

  @Override
  void close();
}

package io.forkd.guest;

import java.time.Duration;
import java.util.Optional;

/** Changes in a folder as they happen. */
public interface FileWatch extends AutoCloseable {
  /** What happened. */
  enum Kind {
    CREATE,
    WRITE,
    REMOVE,
    RENAME,
    CHMOD
  }

  /**
   * A change.
   *
   * @param name relative to the watched folder
   */
  record Change(String name, Kind kind) {}

  /** The next change; empty when none came in that time. */
  Optional<Change> next(Duration wait) throws InterruptedException;

  @Override
  void close();
}

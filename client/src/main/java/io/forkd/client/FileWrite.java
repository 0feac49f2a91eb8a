package io.forkd.client;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a file is written.
 *
 * @param append whether what is in it stays
 * @param mode such as {@code 0755}; empty leaves it as it is, or as new files are
 * @param size how many bytes will come, where that is known
 */
public record FileWrite(boolean append, Optional<String> mode, OptionalLong size) {
  /** Replaces what is there. */
  public static FileWrite replacing() {
    return new FileWrite(false, Optional.empty(), OptionalLong.empty());
  }

  public FileWrite sized(long bytes) {
    return new FileWrite(append, mode, OptionalLong.of(bytes));
  }
}

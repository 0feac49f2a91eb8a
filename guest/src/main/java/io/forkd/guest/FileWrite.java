package io.forkd.guest;

import java.util.Map;
import java.util.Optional;

/**
 * How a file is written.
 *
 * @param append whether what is there stays
 * @param mode of a new file; empty means 0644
 * @param metadata names and values to store with it, in place of those that are there
 */
public record FileWrite(boolean append, Optional<Integer> mode, Map<String, String> metadata) {
  public static final FileWrite REPLACE = new FileWrite(false, Optional.empty(), Map.of());

  public FileWrite {
    metadata = Map.copyOf(metadata);
  }
}

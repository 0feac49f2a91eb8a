package io.forkd.core;

import io.forkd.base.Tag;
import java.util.List;

/**
 * What a garbage collection took, or would take.
 *
 * @param freedBytes disk space of all
 */
public record Collected(boolean dryRun, List<Item> items, long freedBytes) {
  public Collected {
    items = List.copyOf(items);
  }

  /** One snapshot and why it goes. */
  public record Item(Tag tag, String reason, long bytes) {}
}

package io.forkd.client;

import java.util.List;

/**
 * What a garbage collection took or, when it was a dry run, would take.
 *
 * @param freedBytes disk space of all
 * @param json all the daemon said, fields unknown here included
 */
public record GcOutcome(boolean dryRun, long freedBytes, List<Item> collected, JsonObject json) {
  public GcOutcome {
    collected = List.copyOf(collected);
  }

  static GcOutcome from(JsonObject json) {
    return new GcOutcome(
        json.flag("dry_run"),
        json.number("freed_bytes"),
        json.objects("collected").stream().map(Item::from).toList(),
        json);
  }

  /** One snapshot and why it goes. */
  public record Item(String tag, String reason, long bytes) {
    static Item from(JsonObject json) {
      return new Item(json.text("tag"), json.text("reason"), json.number("bytes"));
    }
  }
}

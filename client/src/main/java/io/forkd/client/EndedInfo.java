package io.forkd.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A sandbox that is no more.
 *
 * @param kind the sort of its end, such as {@code killed} or {@code out_of_memory}
 * @param text why it ended, for people
 * @param log the last lines its VMM or guest wrote, when they explain it
 * @param json all the daemon said, fields unknown here included
 */
public record EndedInfo(
    String id,
    String snapshotTag,
    Instant createdAt,
    Instant endedAt,
    String kind,
    String text,
    List<String> log,
    Map<String, String> labels,
    JsonObject json) {
  static EndedInfo from(JsonObject json) {
    JsonObject reason = json.requiredObject("reason");
    return new EndedInfo(
        json.text("id"),
        json.text("snapshot_tag"),
        Instant.ofEpochSecond(json.number("created_at_unix")),
        Instant.ofEpochSecond(json.number("ended_at_unix")),
        reason.text("kind"),
        reason.text("text"),
        reason.texts("log"),
        json.pairs("labels"),
        json);
  }
}

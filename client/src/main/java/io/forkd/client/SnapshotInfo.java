package io.forkd.client;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A tagged memory image that can be forked.
 *
 * @param status {@code writing}, {@code ready} or {@code failed}
 * @param bootable whether the daemon's host can fork it
 * @param warning why not, or what to know
 * @param source the recipe or files it was made from
 * @param memoryPhysicalBytes what the memory image takes on disk
 * @param json all the daemon said, fields unknown here included
 */
public record SnapshotInfo(
    String tag,
    String dir,
    Instant createdAt,
    String status,
    boolean bootable,
    Optional<String> warning,
    String source,
    String arch,
    String vmm,
    String machine,
    int memoryMib,
    int vcpus,
    long memoryLogicalBytes,
    long memoryPhysicalBytes,
    String contentHash,
    List<String> runtimes,
    JsonObject json) {

  static SnapshotInfo from(JsonObject json) {
    return new SnapshotInfo(
        json.text("tag"),
        json.text("dir"),
        Instant.ofEpochSecond(json.number("created_at_unix")),
        json.text("status"),
        json.flag("bootable"),
        json.optionalText("warning"),
        json.text("source"),
        json.text("arch"),
        json.text("vmm"),
        json.text("machine"),
        json.integer("memory_mib"),
        json.integer("vcpus"),
        json.number("memory_logical_bytes"),
        json.number("memory_physical_bytes"),
        json.text("content_hash"),
        json.texts("runtimes"),
        json);
  }
}

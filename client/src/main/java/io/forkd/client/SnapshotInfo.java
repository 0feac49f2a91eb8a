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
 * @param memoryPhysicalBytes what the memory image, or the delta of a branch, takes on disk
 * @param branchedFrom the sandbox it was branched from
 * @param mode how it was branched: {@code full}, {@code diff} or {@code live}
 * @param pauseMs how long that sandbox stood still
 * @param diffMs all of the copying, most of it while the sandbox ran when it was live
 * @param diffPhysicalBytes what the delta takes on disk
 * @param diffLogicalBytes the pages the sandbox had changed, in bytes
 * @param parentTag the snapshot its delta is based on
 * @param chainDepth how many ancestors it is built on
 * @param expiresAt when it may be collected
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
    Optional<String> branchedFrom,
    Optional<String> mode,
    Optional<Double> pauseMs,
    Optional<Double> diffMs,
    Optional<Long> diffPhysicalBytes,
    Optional<Long> diffLogicalBytes,
    Optional<String> parentTag,
    int chainDepth,
    Optional<Instant> expiresAt,
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
        json.optionalText("branched_from"),
        json.optionalText("mode"),
        json.optionalDecimal("pause_ms"),
        json.optionalDecimal("diff_ms"),
        json.optionalNumber("diff_physical_bytes"),
        json.optionalNumber("diff_logical_bytes"),
        json.optionalText("parent_tag"),
        json.integer("chain_depth"),
        json.optionalInstant("expires_at_unix"),
        json);
  }
}

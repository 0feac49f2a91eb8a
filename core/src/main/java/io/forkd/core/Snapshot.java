package io.forkd.core;

import io.forkd.base.Tag;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A tagged, immutable memory image with device state and disk.
 *
 * @param memoryPhysicalBytes what the memory image takes on disk
 * @param bootable whether it can be forked on this host
 * @param warning why not, or what to know
 * @param runtimes names of the warmed runtime kernels, such as {@code python}
 */
public record Snapshot(
    Tag tag,
    Path dir,
    Instant createdAt,
    Status status,
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
    long vmstateBytes,
    String contentHash,
    List<String> runtimes) {

  public enum Status {
    WRITING,
    READY,
    FAILED
  }
}

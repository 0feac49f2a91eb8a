package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A tagged, immutable memory image with device state and disk.
 *
 * @param memoryPhysicalBytes what the memory image, or the delta of a branch, takes on disk
 * @param bootable whether it can be forked on this host
 * @param warning why not, or what to know
 * @param runtimes names of the warmed runtime kernels, such as {@code python}
 * @param chainDepth how many ancestors it is built on
 * @param owner whose it is; empty means everybody's
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
    List<String> runtimes,
    Optional<Parent> parent,
    int chainDepth,
    Optional<Branch> branch,
    Optional<Instant> expiresAt,
    Optional<String> owner) {

  public enum Status {
    WRITING,
    READY,
    FAILED
  }

  /** The snapshot a delta is based on, as it was then. */
  public record Parent(Tag tag, String contentHash) {}

  /**
   * How a branch was taken.
   *
   * @param pauseMs between vCPUs stopped and vCPUs running again
   * @param captureMs all of the copying, most of it while the sandbox ran when it was live
   * @param deltaBytes pages the sandbox had changed, in bytes
   */
  public record Branch(
      SandboxId sandbox, BranchMode mode, double pauseMs, double captureMs, long deltaBytes) {}
}

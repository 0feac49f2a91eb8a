package io.forkd.core;

import io.forkd.base.Tag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A parent to boot and keep.
 *
 * @param memoryMib guest memory; empty means what the recipe says, or 512
 * @param vcpus empty means what the recipe says, or 1
 * @param warmup code for the runtime kernel, or a shell command when the guest has no kernel, run
 *     after what the recipe warms
 * @param bootWait how long the guest may take to become ready
 * @param owner whose the snapshot is; empty means everybody's
 */
public record SnapshotSpec(
    Tag tag,
    Source source,
    Optional<Integer> memoryMib,
    Optional<Integer> vcpus,
    Optional<String> warmup,
    Duration bootWait,
    Optional<String> owner) {

  public static final Duration DEFAULT_BOOT_WAIT = Duration.ofMinutes(3);

  public SnapshotSpec(
      Tag tag,
      Source source,
      Optional<Integer> memoryMib,
      Optional<Integer> vcpus,
      Optional<String> warmup,
      Duration bootWait) {
    this(tag, source, memoryMib, vcpus, warmup, bootWait, Optional.empty());
  }

  public SnapshotSpec withOwner(Optional<String> whose) {
    return new SnapshotSpec(tag, source, memoryMib, vcpus, warmup, bootWait, whose);
  }

  /** What the guest is made of. */
  public sealed interface Source {}

  /** A recipe from recipes/, by name, or the path of a recipe file. */
  public record FromRecipe(String recipe) implements Source {}

  /** A root filesystem (image file or folder), and a kernel unless forkd's own is to be used. */
  public record FromFiles(Optional<Path> kernel, Path rootfs) implements Source {}
}

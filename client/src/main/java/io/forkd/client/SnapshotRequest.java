package io.forkd.client;

import java.util.Optional;

/**
 * A parent to boot, warm and keep. Either {@code recipe} or {@code rootfs} says what it is made of.
 *
 * @param recipe a recipe's name or, on the daemon's host, its file
 * @param kernel a kernel image on the daemon's host; empty means forkd's own
 * @param rootfs an image file or folder on the daemon's host
 * @param warmup code or a command to run before the snapshot is taken
 */
public record SnapshotRequest(
    String tag,
    Optional<String> recipe,
    Optional<String> kernel,
    Optional<String> rootfs,
    Optional<Integer> memoryMib,
    Optional<Integer> vcpus,
    Optional<String> warmup,
    Optional<Integer> bootWaitSecs) {

  /** A parent made from a recipe, everything else as the recipe says. */
  public static SnapshotRequest ofRecipe(String tag, String recipe) {
    return new SnapshotRequest(
        tag,
        Optional.of(recipe),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  JsonObject toJson() {
    return JsonObject.ofPairs("tag", tag)
        .with("recipe", recipe)
        .with("kernel", kernel)
        .with("rootfs", rootfs)
        .with("memory_mib", memoryMib)
        .with("vcpus", vcpus)
        .with("warmup", warmup)
        .with("boot_wait_secs", bootWaitSecs);
  }
}

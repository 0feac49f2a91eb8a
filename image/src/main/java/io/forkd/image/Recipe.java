package io.forkd.image;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a guest is to hold and how it is warmed before it is snapshotted.
 *
 * @param name the recipe file's name without its ending
 * @param packages Debian packages installed beside the essential ones
 * @param suite the distribution's release, such as {@code trixie}; empty means the host's
 * @param runtime the runtime kernel to host, such as {@code python}; empty means none
 * @param warmup code run in the runtime kernel before the snapshot
 * @param rehearsal code a pooled child runs once before it is parked, without effects that show
 * @param commands programs with their arguments, run in the guest before the snapshot, in order
 * @param env environment of the guest's processes
 * @param digest SHA-256 of the recipe file
 */
public record Recipe(
    String name,
    String description,
    List<String> packages,
    Optional<String> suite,
    Optional<String> runtime,
    Optional<String> warmup,
    Optional<String> rehearsal,
    List<List<String>> commands,
    Optional<Integer> memoryMib,
    Optional<Integer> vcpus,
    Map<String, String> env,
    String digest) {
  public Recipe {
    packages = List.copyOf(packages);
    commands = commands.stream().map(List::copyOf).toList();
    env = Map.copyOf(env);
  }
}

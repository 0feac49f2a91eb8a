package io.forkd.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The places where the modules of a user's kernel may be, those near what the user gave first.
 *
 * @param notSearched the root filesystem, when it is an image that cannot be looked into
 */
record ModulePlaces(List<ModulePlace> places, Optional<Path> notSearched) {
  private static final List<Path> ROOTED =
      List.of(Path.of("lib/modules"), Path.of("usr/lib/modules"));

  ModulePlaces {
    places = List.copyOf(places);
  }

  /**
   * The places for a release.
   *
   * @param host the host's own modules, a folder per release
   * @param cached the modules folders of a release in the cache
   */
  static ModulePlaces of(
      Path kernel, Path rootfs, String release, Path host, Function<String, List<Path>> cached)
      throws IOException {
    boolean folder = Files.isDirectory(rootfs);
    boolean ext4 = !folder && Filesystem.of(rootfs).equals(Optional.of(Filesystem.EXT4));
    Stream<ModulePlace> inRoot =
        folder
            ? inFolder(rootfs.toAbsolutePath(), release)
            : ext4 ? inImage(rootfs.toAbsolutePath(), release) : Stream.of();
    Stream<ModulePlace> elsewhere =
        Stream.concat(Stream.of(host.resolve(release)), cached.apply(release).stream())
            .map(FolderModules::new);
    return new ModulePlaces(
        Stream.of(inRoot, beside(kernel, release), elsewhere)
            .flatMap(each -> each)
            .distinct()
            .toList(),
        folder || ext4 ? Optional.empty() : Optional.of(rootfs));
  }

  /** Copies the modules from the first place that has them; false when none has. */
  boolean copyTo(Path empty) throws IOException {
    for (ModulePlace place : places) {
      if (place.copyTo(empty)) {
        return true;
      }
    }
    return false;
  }

  /** What a user must know when no place had modules. */
  String remark(Path kernel, String release) {
    return "No modules of kernel %s were found, so virtio, overlay and the root's filesystem are taken"
            .formatted(release)
        + " to be built in; if they are not, the guest finds no disk and does not start. Looked in "
        + places.stream().map(ModulePlace::where).collect(Collectors.joining(", "))
        + " and the kernels forkd has fetched"
        + notSearched
            .map("; not in %s, for only folders and ext4 images are searched"::formatted)
            .orElse("")
        + ". Next: put the kernel package's modules at %s, or give a kernel with these built in."
            .formatted(folderOf(kernel.toAbsolutePath()).resolve("lib/modules").resolve(release));
  }

  private static Stream<ModulePlace> inFolder(Path root, String release) {
    return ROOTED.stream().map(each -> new FolderModules(root.resolve(each).resolve(release)));
  }

  private static Stream<ModulePlace> inImage(Path image, String release) {
    return ROOTED.stream()
        .map(each -> new Ext4Modules(image, Path.of("/").resolve(each).resolve(release)));
  }

  /** As an unpacked package has it: boot/vmlinuz-RELEASE and lib/modules/RELEASE. */
  private static Stream<ModulePlace> beside(Path kernel, String release) throws IOException {
    return Stream.of(kernel.toAbsolutePath(), kernel.toRealPath())
        .map(ModulePlaces::folderOf)
        .flatMap(
            folder ->
                Stream.of("../lib/modules", "../usr/lib/modules", "lib/modules")
                    .map(each -> folder.resolve(each).resolve(release).normalize()))
        .map(FolderModules::new);
  }

  private static Path folderOf(Path file) {
    return file.resolveSibling(".").normalize();
  }
}

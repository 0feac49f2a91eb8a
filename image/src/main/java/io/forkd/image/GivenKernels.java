package io.forkd.image;

import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * Kernels that users give: copied with the modules found for them, so that later changes cannot
 * hurt.
 */
final class GivenKernels {
  private static final Path HOST = Path.of("/lib/modules");

  private final Cache cache;
  private final Arch arch;
  private final Function<String, List<Path>> cachedModules;

  GivenKernels(Cache cache, Arch arch, Function<String, List<Path>> cachedModules) {
    this.cache = cache;
    this.arch = arch;
    this.cachedModules = cachedModules;
  }

  /** The kernel with the modules of its release, if any of {@link ModulePlaces} has them. */
  Kernel obtain(Path file, Path rootfs, Progress progress) {
    progress.begin("kernel", "Reading the kernel " + file);
    KernelFile about = read(file);
    if (about.arch().isPresent() && about.arch().get() != arch) {
      throw ForkdException.badRequest(
          "The kernel %s is for %s, but guests here are %s.", file, about.arch().get(), arch);
    }
    ModulePlaces places = places(file, rootfs, about.release());
    Path entry = cache.add("kernels", folder -> copy(file, about.release(), places, folder));
    Kernel kernel = KernelPackages.open(entry);
    return kernel.modules().isPresent()
        ? kernel
        : kernel.remarking(places.remark(file, about.release()));
  }

  /** Copies all of a kernel into a folder and returns a name that tells its content. */
  private static String copy(Path file, String release, ModulePlaces places, Path folder)
      throws IOException {
    Path image = folder.resolve("vmlinuz");
    Files.copy(file, image);
    Files.writeString(folder.resolve("release"), release + "\n");
    String name = "sha256-" + Hashes.ofFile(image);
    Path modules = Files.createDirectory(folder.resolve("modules"));
    if (places.copyTo(modules)) {
      return name + "-modules-" + Hashes.ofTree(modules);
    }
    Files.delete(modules);
    return name;
  }

  private ModulePlaces places(Path file, Path rootfs, String release) {
    try {
      return ModulePlaces.of(file, rootfs, release, HOST, cachedModules);
    } catch (IOException e) {
      throw ForkdException.badRequest(
          "The modules of the kernel %s could not be looked for in %s: %s", file, rootfs, e);
    }
  }

  private static KernelFile read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw ForkdException.badRequest("The kernel %s is not a file.", file);
    }
    try {
      return KernelFile.read(file);
    } catch (IOException e) {
      throw ForkdException.badRequest("The kernel %s cannot be read: %s", file, e);
    }
  }
}

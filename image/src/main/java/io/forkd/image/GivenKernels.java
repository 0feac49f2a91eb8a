package io.forkd.image;

import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Kernels that users give: copied with the modules found for them, so that later changes cannot
 * hurt.
 */
final class GivenKernels {
  private final Cache cache;
  private final Arch arch;

  GivenKernels(Cache cache, Arch arch) {
    this.cache = cache;
    this.arch = arch;
  }

  /**
   * The kernel with modules of the host or of the root folder, if either has them for its release.
   */
  Kernel obtain(Path file, Path rootfs, Progress progress) {
    progress.begin("kernel", "Reading the kernel " + file);
    KernelFile about = read(file);
    if (about.arch().isPresent() && about.arch().get() != arch) {
      throw ForkdException.badRequest(
          "The kernel %s is for %s, but guests here are %s.", file, about.arch().get(), arch);
    }
    Optional<Path> modules =
        Stream.of(
                Path.of("/lib/modules"),
                rootfs.resolve("lib/modules"),
                rootfs.resolve("usr/lib/modules"))
            .map(folder -> folder.resolve(about.release()))
            .filter(
                folder -> Files.isDirectory(folder.resolve("kernel"), LinkOption.NOFOLLOW_LINKS))
            .findFirst();
    Path entry =
        cache.add(
            "kernels",
            folder -> {
              Path copy = folder.resolve("vmlinuz");
              Files.copy(file, copy);
              Files.writeString(folder.resolve("release"), about.release() + "\n");
              if (modules.isPresent()) {
                copyModules(modules.get(), folder.resolve("modules"));
              }
              return "sha256-" + Hashes.ofFile(copy) + (modules.isPresent() ? "-modules" : "");
            });
    return KernelPackages.open(entry);
  }

  private static void copyModules(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    Command.of(Tool.CP, "-r", "--reflink=auto", from.resolve("kernel"), to).run();
    Path builtin = from.resolve("modules.builtin");
    if (Files.isReadable(builtin)) {
      Files.copy(builtin, to.resolve("modules.builtin"));
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

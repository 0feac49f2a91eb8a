package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes guest images and keeps their parts in a cache folder. Safe for many threads and processes.
 */
public final class Images {
  private final Arch arch;
  private final KernelPackages distributionKernels;
  private final GivenKernels givenKernels;
  private final Initrds initrds;
  private final RecipeRoots roots;
  private final GivenRoots givenRoots;

  /**
   * Opens the cache, deleting what an interrupted build left there.
   *
   * @param arch the guests' architecture: x86_64 or aarch64
   */
  public Images(Path cacheDir, String arch) {
    this.arch = Arch.of(arch);
    Cache cache = new Cache(cacheDir);
    distributionKernels = new KernelPackages(cache, this.arch);
    givenKernels = new GivenKernels(cache, this.arch, distributionKernels::modulesOf);
    initrds = new Initrds(cache);
    roots = new RecipeRoots(cache, this.arch);
    givenRoots = new GivenRoots(cache);
  }

  /** The Debian packages whose programs making images needs and this host lacks. */
  public static List<String> missingPackages() {
    return Tool.missingPackages();
  }

  /** The guest a recipe describes, with the distribution's kernel. */
  public GuestImage build(Recipe recipe, GuestParts parts, Progress progress) {
    recipe
        .runtime()
        .filter(runtime -> !parts.runtimes().containsKey(runtime + ".py"))
        .ifPresent(
            runtime -> {
              throw ForkdException.badRequest(
                  "The recipe %s wants the runtime '%s'; a snapshot can warm python alone.",
                  recipe.name(), runtime);
            });
    Kernel kernel = distributionKernels.obtain(progress);
    Path entry = roots.obtain(recipe, progress);
    GivenRoots.Disk disk =
        new GivenRoots.Disk(
            entry.resolve("disk"), Filesystem.EXT4, readLine(entry.resolve("sha256")));
    return assemble(
        kernel, disk, parts, progress, new About(recipe.description(), recipe.runtime()));
  }

  /** The guest made of a user's root filesystem, and the user's kernel when one is given. */
  public GuestImage fromFiles(
      Optional<Path> kernel, Path rootfs, GuestParts parts, Progress progress) {
    requireReadable("kernel", kernel);
    requireReadable("root filesystem", Optional.of(rootfs));
    Kernel usable =
        kernel.isPresent()
            ? givenKernels.obtain(kernel.get(), rootfs, progress)
            : distributionKernels.obtain(progress);
    GivenRoots.Disk disk = givenRoots.obtain(rootfs, progress);
    String description = "Root filesystem " + rootfs.getFileName();
    return assemble(usable, disk, parts, progress, new About(description, Optional.empty()));
  }

  /**
   * The folder with a recipe's packages installed, as it is on the guest's disk; made when it is
   * not there. Nobody may write to it: give containers a layer of their own.
   */
  public Path rootDirectory(Recipe recipe, Progress progress) {
    return roots.obtain(recipe, progress).resolve("root");
  }

  private GuestImage assemble(
      Kernel kernel, GivenRoots.Disk disk, GuestParts parts, Progress progress, About about) {
    String type = disk.filesystem().mountType();
    Initrds.Initrd initrd = initrds.obtain(kernel, type, parts, progress);
    return new GuestImage(
        kernel.image(),
        initrd.file(),
        disk.file(),
        type,
        kernel.release(),
        disk.sha256(),
        about.description,
        about.runtime,
        Stream.concat(kernel.remarks().stream(), initrd.remarks().stream()).toList());
  }

  private static void requireReadable(String what, Optional<Path> path) {
    path.filter(file -> !Files.isReadable(file))
        .ifPresent(
            file -> {
              throw ForkdException.badRequest(
                  "The %s %s %s.",
                  what, file, Files.exists(file) ? "cannot be read" : "does not exist");
            });
  }

  private static String readLine(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "The cached image %s is damaged: %s. Next: delete its folder and try again."
              .formatted(file, e),
          e);
    }
  }

  private record About(String description, Optional<String> runtime) {}
}

package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The distribution's kernel for virtual machines: downloaded and unpacked, never installed. */
final class KernelPackages {
  private static final Duration DOWNLOAD = Duration.ofMinutes(10);

  private final Cache cache;
  private final Arch arch;

  private final Supplier<Optional<Selection>> apt;

  KernelPackages(Cache cache, Arch arch) {
    this(cache, arch, () -> select(arch));
  }

  KernelPackages(Cache cache, Arch arch, Supplier<Optional<Selection>> apt) {
    this.cache = cache;
    this.arch = arch;
    this.apt = apt;
  }

  /** The kernel apt would install; without network or index, the newest in the cache. */
  Kernel obtain(Progress progress) {
    Optional<Selection> known = apt.get();
    if (known.isPresent()) {
      try {
        return obtain(known.get(), progress);
      } catch (ForkdException e) {
        if (e.code() == ErrorCode.FULL) {
          throw e;
        }
        // Offline, or apt's index is older than the archive and names what is gone from it.
        return newestCached()
            .map(KernelPackages::open)
            .map(kernel -> kernel.remarking(older(known.get(), kernel, e)))
            .orElseGet(() -> updated(progress));
      }
    }
    return newestCached().map(KernelPackages::open).orElseGet(() -> updated(progress));
  }

  private Kernel obtain(Selection selection, Progress progress) {
    return open(
        cache.obtain(
            "kernels",
            selection.key(arch),
            folder -> {
              progress.begin("kernel", "Fetching the kernel " + selection.image.name());
              fetch(selection, folder);
            }));
  }

  private Kernel updated(Progress progress) {
    progress.begin("apt-update", "Asking the distribution's archive what kernels there are");
    Command.of(Tool.APT_GET, "-q", "update").within(DOWNLOAD).run();
    return obtain(apt.get().orElseThrow(this::noKernel), progress);
  }

  private static Optional<Selection> select(Arch arch) {
    return metaPackages(arch).stream().flatMap(name -> select(name).stream()).findFirst();
  }

  private static List<String> metaPackages(Arch arch) {
    String debian = "linux-image-cloud-" + arch.debianName();
    String ubuntu = "linux-image-virtual";
    return Host.current().ubuntu() ? List.of(ubuntu, debian) : List.of(debian, ubuntu);
  }

  private static Optional<Selection> select(String metaPackage) {
    return AptPackage.show(metaPackage)
        .flatMap(meta -> meta.dependency("linux-image-"))
        .flatMap(AptPackage::show)
        .map(
            image ->
                new Selection(image, image.dependency("linux-modules-").flatMap(AptPackage::show)));
  }

  private static void fetch(Selection selection, Path folder) throws IOException {
    Path packages = Files.createDirectory(folder.resolve("packages"));
    // As root, apt downloads as the user _apt, who may not be able to enter the cache.
    Command.of(Tool.APT_GET, "-q", "-o", "APT::Sandbox::User=root", "download")
        .with(selection.all().map(each -> each.name() + "=" + each.version()).toList())
        .in(packages)
        .within(DOWNLOAD)
        .run();
    Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
    try (Stream<Path> files = Files.list(packages)) {
      for (Path file : files.toList()) {
        Command.of(Tool.DPKG_DEB, "-x", file, unpacked).run();
      }
    }
    arrange(unpacked, folder);
    Trees.delete(packages);
    Trees.delete(unpacked);
  }

  private static void arrange(Path unpacked, Path folder) throws IOException {
    Path image = only(unpacked.resolve("boot"), "vmlinuz-");
    String release = KernelFile.read(image).release();
    Path modules = unpacked.resolve("lib/modules").resolve(release);
    if (!Files.isDirectory(modules)) {
      modules = unpacked.resolve("usr/lib/modules").resolve(release);
    }
    Files.move(image, folder.resolve("vmlinuz"));
    Files.move(modules, folder.resolve("modules"));
    Files.writeString(folder.resolve("release"), release + "\n");
  }

  private static Path only(Path folder, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElseThrow(() -> new IOException("the kernel package has no boot/" + prefix + "*"));
    }
  }

  private Optional<Path> newestCached() {
    return cached().findFirst();
  }

  /** The modules of cached kernels of that release, newest first. */
  List<Path> modulesOf(String release) {
    return cached()
        .map(KernelPackages::open)
        .filter(kernel -> kernel.release().equals(release))
        .flatMap(kernel -> kernel.modules().stream())
        .toList();
  }

  private Stream<Path> cached() {
    return cache.list("kernels").stream()
        .filter(entry -> entry.getFileName().toString().endsWith("_" + arch.debianName()))
        .sorted(Comparator.comparing(KernelPackages::modified).reversed());
  }

  private static String older(Selection wanted, Kernel used, ForkdException failure) {
    List<String> lines = String.valueOf(failure.getMessage()).lines().toList();
    String reason =
        lines.stream().filter(line -> line.startsWith("E: ")).findFirst().orElse(lines.getLast());
    return "The kernel %s %s could not be fetched (%s), so %s from the cache is used. Next: run apt-get"
            .formatted(wanted.image.name(), wanted.image.version(), reason.strip(), used.release())
        + " update, or restore the network, and make the snapshot again.";
  }

  private static FileTime modified(Path entry) {
    try {
      return Files.getLastModifiedTime(entry);
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }

  /** A kernel entry of the cache. */
  static Kernel open(Path entry) {
    try {
      return new Kernel(
          entry.resolve("vmlinuz"),
          Files.readString(entry.resolve("release")).strip(),
          Optional.of(entry.resolve("modules")).filter(Files::isDirectory),
          entry.getFileName().toString(),
          List.of());
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "The cached kernel %s is damaged: %s. Next: delete that folder and try again."
              .formatted(entry, e),
          e);
    }
  }

  private ForkdException noKernel() {
    return new ForkdException(
        ErrorCode.HOST_FAILED,
        "apt offers none of the kernel packages %s. Next: enable the distribution's main archive in"
                .formatted(String.join(", ", metaPackages(arch)))
            + " /etc/apt/sources.list.d, or give a kernel with --kernel.");
  }

  /** The packages that make one kernel. */
  record Selection(AptPackage image, Optional<AptPackage> modules) {
    Stream<AptPackage> all() {
      return Stream.concat(Stream.of(image), modules.stream());
    }

    String key(Arch arch) {
      return "%s_%s_%s"
          .formatted(image.name(), image.version(), arch.debianName())
          .replace(':', '-');
    }
  }
}

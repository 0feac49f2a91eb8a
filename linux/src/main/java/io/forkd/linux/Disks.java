package io.forkd.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The disks a file system is kept on.
 *
 * @param fileSystem its type, such as {@code ext4}
 * @param devices whole disks, or what the kernel takes for one, such as a logical volume; empty for
 *     a file system that is on no disk of its own, such as tmpfs or overlay
 */
public record Disks(String fileSystem, List<BlockDevice> devices) {
  private static final Path SYSFS = Path.of("/sys");

  public Disks {
    devices = List.copyOf(devices);
  }

  /** The disks behind a path that exists. */
  public static Disks behind(Path path) {
    try {
      return of(MountTable.read(), path.toRealPath(), SYSFS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Disks of(MountTable mounts, Path path, Path sysfs) {
    return mounts
        .containing(path)
        .map(mount -> new Disks(mount.type(), devices(mount, sysfs)))
        .orElse(new Disks("unknown", List.of()));
  }

  private static List<BlockDevice> devices(MountTable.Mount mount, Path sysfs) {
    Optional<Path> entry = folder(mount.device(), sysfs);
    if (entry.isPresent()) {
      return wholeDisk(entry.get()).stream().toList();
    }
    return mount.type().equals("btrfs") ? ofBtrfs(mount.source(), sysfs) : List.of();
  }

  private static Optional<Path> folder(String device, Path sysfs) {
    return Optional.of(sysfs.resolve("dev/block").resolve(device)).filter(Files::isDirectory);
  }

  /** Limits hold for whole disks only; a partition's folder lies in its disk's. */
  private static Optional<BlockDevice> wholeDisk(Path entry) {
    try {
      Path folder = entry.toRealPath();
      Path disk = Files.exists(folder.resolve("partition")) ? folder.resolveSibling("") : folder;
      return ProcFile.read(disk.resolve("dev")).flatMap(BlockDevice::at);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Its mounts have numbers of no device, since it may be kept on several. */
  private static List<BlockDevice> ofBtrfs(String source, Path sysfs) {
    String name = source.substring(source.lastIndexOf('/') + 1);
    return list(sysfs.resolve("fs/btrfs")).stream()
        .map(each -> each.resolve("devices"))
        .filter(devices -> Files.isDirectory(devices.resolve(name)))
        .flatMap(devices -> list(devices).stream())
        .flatMap(entry -> wholeDisk(entry).stream())
        .distinct()
        .toList();
  }

  private static List<Path> list(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}

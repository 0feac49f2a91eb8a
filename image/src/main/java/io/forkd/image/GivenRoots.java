package io.forkd.image;

import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Root filesystems that users give, as a folder or as an image, copied into the cache. */
final class GivenRoots {
  private static final String PREFIX = "sha256-";
  private static final int SECTOR = 512;

  private final Cache cache;

  GivenRoots(Cache cache) {
    this.cache = cache;
  }

  /** A root filesystem image in the cache. */
  record Disk(Path file, Filesystem filesystem, String sha256) {}

  Disk obtain(Path rootfs, Progress progress) {
    Filesystem filesystem = Files.isDirectory(rootfs) ? Filesystem.EXT4 : recognise(rootfs);
    progress.begin("disk", "Copying the root filesystem " + rootfs);
    Path entry =
        cache.add(
            "disks",
            folder -> {
              Path disk = folder.resolve("disk");
              if (Files.isDirectory(rootfs)) {
                Ext4.make(rootfs, disk);
              } else {
                copy(rootfs, disk);
              }
              return PREFIX + Hashes.ofFile(disk);
            });
    String sha256 = entry.getFileName().toString().substring(PREFIX.length());
    return new Disk(entry.resolve("disk"), filesystem, sha256);
  }

  private static Filesystem recognise(Path image) {
    try {
      return Filesystem.of(image)
          .orElseThrow(
              () ->
                  ForkdException.badRequest(
                      "The root filesystem %s is neither a folder nor an ext4, erofs or squashfs"
                          + " image. A disk with a partition table is not one: give the partition.",
                      image));
    } catch (IOException e) {
      throw ForkdException.badRequest("The root filesystem %s cannot be read: %s", image, e);
    }
  }

  private static void copy(Path image, Path disk) throws IOException {
    Command.of(Tool.CP, "--sparse=always", "--reflink=auto", "--", image, disk)
        .within(Duration.ofHours(1))
        .run();
    // A virtio disk is whole sectors; squashfs images may end in the middle of one.
    long odd = Files.size(disk) % SECTOR;
    if (odd != 0) {
      try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
        file.setLength(file.length() + SECTOR - odd);
      }
    }
  }
}

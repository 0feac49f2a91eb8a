package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.Folders;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.FileStatus;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import io.forkd.linux.OpenFlag;
import io.forkd.linux.PageDigest;
import io.forkd.linux.Reflink;
import io.forkd.linux.SparseCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A snapshot being written, in a folder nobody looks into. Everything is on disk before {@link
 * #commit} makes it visible by one rename; closing without commit leaves nothing.
 */
public final class SnapshotWriter implements AutoCloseable {
  static final String MEMORY = "memory.img";
  static final String DEVICE_STATE = "device.state";
  static final String ROOTFS = "rootfs.img";

  private final Tag tag;
  private final Path dir;
  private final Path root;
  private final Path target;
  private final Runnable release;
  private boolean committed;

  SnapshotWriter(Tag tag, Path dir, Path root, Runnable release) {
    this.tag = tag;
    this.dir = dir;
    this.root = root;
    this.target = root.resolve(tag.value());
    this.release = release;
  }

  /** Keeps guest memory, pages that are not zero only. */
  public Manifest.MemoryLayer memory(Fd memory) {
    return explainingDiskTrouble(
        () -> {
          try (Fd file = HostFiles.create(dir.resolve(MEMORY), 0644)) {
            PageDigest digest = new PageDigest();
            SparseCopy.Result copied = SparseCopy.copy(memory, file, digest);
            FileIo.sync(file);
            return new Manifest.MemoryLayer(
                MEMORY, copied.size(), FileStatus.of(file).allocatedBytes(), digest.finish());
          }
        });
  }

  /**
   * Keeps the device state a VMM wrote. The VMM is not trusted: only a regular file of sane size is
   * taken.
   */
  public Manifest.StateFile deviceState(Path written) {
    return explainingDiskTrouble(
        () -> {
          try (Fd from = HostFiles.open(written, OpenFlag.READ)) {
            FileStatus status = FileStatus.of(from);
            if (status.type() != FileStatus.Type.FILE
                || status.size() == 0
                || status.size() > 64 << 20) {
              throw new ForkdException(
                  ErrorCode.GUEST_FAILED, "the VMM left no usable device state in " + written);
            }
            return copyWhole(from, DEVICE_STATE);
          }
        });
  }

  /** Keeps the root disk: the same file when it lies on this file system, else a copy. */
  public Manifest.StateFile rootfs(Path image, String sha256) {
    return explainingDiskTrouble(
        () -> {
          Path file = dir.resolve(ROOTFS);
          try {
            Files.createLink(file, image);
          } catch (IOException | UnsupportedOperationException e) {
            copyDisk(image, file);
          }
          try {
            return new Manifest.StateFile(ROOTFS, Files.size(file), sha256);
          } catch (IOException e) {
            throw new ForkdException(ErrorCode.HOST_FAILED, "cannot read " + file, e);
          }
        });
  }

  /** Makes the snapshot visible. */
  public StoredSnapshot commit(Manifest manifest) {
    return explainingDiskTrouble(
        () -> {
          ManifestFile.write(dir, manifest);
          HostFiles.syncDirectory(dir);
          try {
            Files.move(dir, target, StandardCopyOption.ATOMIC_MOVE);
          } catch (IOException e) {
            throw ForkdException.conflict(
                "snapshot %s could not be moved to %s: %s", tag, target, e.getMessage());
          }
          committed = true;
          HostFiles.syncDirectory(root);
          return new StoredSnapshot(target, manifest);
        });
  }

  @Override
  public void close() {
    try {
      if (!committed) {
        Folders.deleteIfThere(dir);
      }
    } catch (IOException e) {
      // The next start of the store removes what is left in staging.
    } finally {
      release.run();
    }
  }

  private Manifest.StateFile copyWhole(Fd from, String name) {
    try (Fd file = HostFiles.create(dir.resolve(name), 0644)) {
      PageDigest digest = new PageDigest();
      SparseCopy.Result copied = SparseCopy.copy(from, file, digest);
      FileIo.sync(file);
      return new Manifest.StateFile(name, copied.size(), digest.finish());
    }
  }

  private static void copyDisk(Path image, Path file) {
    try (Fd from = HostFiles.open(image, OpenFlag.READ);
        Fd to = HostFiles.create(file, 0644)) {
      if (!Reflink.tryClone(from, to)) {
        SparseCopy.copy(from, to);
      }
      FileIo.sync(to);
    }
  }

  private interface Work<T> {
    T run();
  }

  private <T> T explainingDiskTrouble(Work<T> work) {
    try {
      return work.run();
    } catch (LinuxException e) {
      throw new ForkdException(
          switch (e.errno()) {
            case ENOSPC, EDQUOT -> ErrorCode.FULL;
            default -> ErrorCode.HOST_FAILED;
          },
          "snapshot %s could not be written to %s: %s. Nothing of it was kept; free some space or choose another data folder."
              .formatted(tag, root, e.getMessage()),
          e);
    }
  }
}

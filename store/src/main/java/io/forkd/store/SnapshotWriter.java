package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.Folders;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Errno;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.FileStatus;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import io.forkd.linux.OpenFlag;
import io.forkd.linux.PageDigest;
import io.forkd.linux.PageRange;
import io.forkd.linux.Reflink;
import io.forkd.linux.SparseCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot being written, in a folder nobody looks into. Everything is on disk before {@link
 * #commit} makes it visible by one rename; closing without commit leaves nothing, or, once it was
 * {@linkplain #announce announced}, a note that it failed.
 */
public final class SnapshotWriter implements AutoCloseable {
  static final String MEMORY = "memory.img";
  static final String DEVICE_STATE = "device.state";
  static final String ROOTFS = "rootfs.img";

  private static final long LARGEST_DEVICE_STATE = 64 << 20;

  private final Store store;
  private final Tag tag;
  private final Path dir;
  private final Path root;
  private String reason = "it was given up";
  private boolean committed;
  private boolean closed;

  SnapshotWriter(Store store, Tag tag, Path dir, Path root) {
    this.store = store;
    this.tag = tag;
    this.dir = dir;
    this.root = root;
  }

  /**
   * Pages that lie over a base.
   *
   * @param memory of the base's size, each page at its own offset
   * @param ranges the pages that count, ascending and disjoint
   */
  public record Layer(Fd memory, List<PageRange> ranges) {
    public Layer {
      ranges = List.copyOf(ranges);
    }
  }

  /** Lets everybody know of the snapshot before it is there, also the next daemon. */
  public void announce(Pending pending) {
    if (!pending.tag().equals(tag) || pending.state() != Pending.State.WRITING) {
      throw new IllegalArgumentException(
          "the writer of %s cannot announce %s".formatted(tag, pending));
    }
    explainingDiskTrouble(
        () -> {
          store.announce(pending);
          return tag;
        });
  }

  /** Says why it will not be committed. */
  public void failed(String why) {
    reason = why;
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

  /** Keeps a layer: what differs from the parent's memory. */
  public Manifest.MemoryLayer delta(Fd sparseMemory, List<PageRange> ranges, long guestBytes) {
    return explainingDiskTrouble(
        () -> {
          try (Fd file = HostFiles.create(dir.resolve(DeltaFile.NAME), 0644)) {
            String sha256 = DeltaFile.write(file, sparseMemory, ranges, guestBytes);
            FileIo.sync(file);
            return new Manifest.MemoryLayer(DeltaFile.NAME, guestBytes, FileIo.size(file), sha256);
          }
        });
  }

  /** Keeps a base with layers over it, bottom first, as memory of its own. */
  public Manifest.MemoryLayer flat(Fd base, List<Layer> layers) {
    return explainingDiskTrouble(
        () -> {
          try (Fd file = HostFiles.create(dir.resolve(MEMORY), 0644)) {
            String sha256 = FlatImage.write(base, layers, file);
            FileIo.sync(file);
            FileStatus status = FileStatus.of(file);
            return new Manifest.MemoryLayer(MEMORY, status.size(), status.allocatedBytes(), sha256);
          }
        });
  }

  /** Keeps the device state a VMM wrote. It is not trusted: only a file of sane size is taken. */
  public Manifest.StateFile deviceState(Fd file) {
    return explainingDiskTrouble(() -> copyDeviceState(file, file.toString()));
  }

  private Manifest.StateFile copyDeviceState(Fd from, String where) {
    FileStatus status = FileStatus.of(from);
    if (status.type() != FileStatus.Type.FILE
        || status.size() == 0
        || status.size() > LARGEST_DEVICE_STATE) {
      throw unusable(where, "it is a %s of %d bytes".formatted(status.type(), status.size()), null);
    }
    return copyWhole(from, DEVICE_STATE);
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
          StoredSnapshot published = store.publish(tag, dir, manifest);
          committed = true;
          store.settle(tag);
          return published;
        });
  }

  @Override
  public void close() {
    if (closed) {
      return; // the tag may be another writer's by now
    }
    closed = true;
    if (committed) {
      store.release(tag);
      return;
    }
    try {
      Folders.deleteIfThere(dir);
    } catch (IOException e) {
      // The next start of the store removes what is left in staging.
    } finally {
      store.giveUp(tag, reason);
    }
  }

  private static ForkdException unusable(String where, String found, @Nullable Throwable cause) {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "the VMM left no usable device state in %s: %s".formatted(where, found),
        cause);
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
      throw explained(tag, root, e);
    }
  }

  static ForkdException explained(Tag tag, Path root, LinuxException e) {
    boolean full = e.errno() == Errno.ENOSPC || e.errno() == Errno.EDQUOT;
    return new ForkdException(
        full ? ErrorCode.FULL : ErrorCode.HOST_FAILED,
        "snapshot %s could not be written to %s: %s. Nothing of it was kept%s."
            .formatted(
                tag,
                root,
                e.getMessage(),
                full ? "; free some space or choose another data folder" : ""),
        e);
  }
}

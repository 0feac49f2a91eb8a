package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.FileSystemInfo;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The room for snapshots in the data folder. Asked before memory is written, so that there is a
 * clear answer at once instead of a full disk halfway; a part of the disk stays free for what the
 * daemon must always be able to write.
 */
final class DiskBudget {
  static final long RESERVED = 256L << 20;

  private final Path folder;
  private final Supplier<FileSystemInfo> disk;
  private long claimed;

  DiskBudget(Path folder) {
    this(folder, () -> FileSystemInfo.of(folder));
  }

  DiskBudget(Path folder, Supplier<FileSystemInfo> disk) {
    this.folder = folder;
    this.disk = disk;
  }

  /**
   * Makes sure that something can be written now.
   *
   * @param forWhat such as {@code the snapshot x}
   * @throws ForkdException FULL when there is no room for it
   */
  synchronized void require(long bytes, String forWhat) {
    long free = disk.get().availableBytes() - claimed;
    if (free - RESERVED < bytes) {
      throw new ForkdException(
          ErrorCode.FULL,
          "no room for %s: it may take %d MiB, and %s has %d MiB free, of which %d MiB stay free."
                  .formatted(forWhat, mib(bytes), folder, mib(Math.max(0, free)), mib(RESERVED))
              + " Remove snapshots with `forkd rmi`, or set FORKD_DATA to a larger disk.");
    }
  }

  /** Makes sure of room and keeps it from others until the claim is closed. */
  synchronized Claim claim(long bytes, String forWhat) {
    require(bytes, forWhat);
    claimed += bytes;
    return new Claim(bytes);
  }

  synchronized Capacity.Budget budget() {
    FileSystemInfo info = disk.get();
    return new Capacity.Budget(
        "disk_mib",
        mib(info.totalBytes() - info.availableBytes() + claimed),
        mib(Math.max(0, info.totalBytes() - RESERVED)));
  }

  private synchronized void giveBack(long bytes) {
    claimed -= bytes;
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }

  /** Room that somebody is about to fill. */
  final class Claim implements AutoCloseable {
    private final long bytes;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Claim(long bytes) {
      this.bytes = bytes;
    }

    /** Closes it when the writing is over, well or not. */
    void until(CompletableFuture<?> written) {
      var _ = written.whenComplete((_, _) -> close());
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        giveBack(bytes);
      }
    }
  }
}

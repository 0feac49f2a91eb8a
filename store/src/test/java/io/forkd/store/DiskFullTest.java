package io.forkd.store;

import static io.forkd.store.Samples.TAG;
import static io.forkd.store.StoreTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.ErrorCode;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A data folder on a file system of two megabytes. */
@Timeout(60)
class DiskFullTest {
  @TempDir Path temp;
  private Path disk;
  private Store store;

  @BeforeEach
  void mountSmallDisk() throws Exception {
    disk = Files.createDirectory(temp.resolve("disk"));
    run("mount", "-t", "tmpfs", "-o", "size=2m", "forkd-test", disk.toString());
    store = Store.open(disk);
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", disk.toString());
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
        .as(String.join(" ", command))
        .isZero();
  }

  private static Memfd memoryOf(int mib) {
    Memfd memory = Memfd.create("forkd-test", (long) mib << 20);
    byte[] chunk = new byte[1 << 20];
    Arrays.fill(chunk, (byte) 5);
    for (int i = 0; i < mib; i++) {
      FileIo.pwrite(memory.fd(), ByteBuffer.wrap(chunk), (long) i << 20);
    }
    return memory;
  }

  private void assertNothingLeft() throws IOException {
    assertThat(store.list()).isEmpty();
    assertThat(store.isBeingWritten(TAG)).isFalse();
    assertThat(disk.resolve("snapshots/.staging")).isEmptyDirectory();
    assertThat(disk.resolve("snapshots/.pending")).isEmptyDirectory();
    try (var entries = Files.list(disk.resolve("snapshots"))) {
      assertThat(entries)
          .containsExactlyInAnyOrder(
              disk.resolve("snapshots/.staging"), disk.resolve("snapshots/.pending"));
    }
  }

  @Test
  void memoryThatDoesNotFitIsRefusedAsFullAndNothingOfItStays() throws Exception {
    try (Memfd memory = memoryOf(4);
        SnapshotWriter writer = store.begin(TAG)) {
      assertFails(
          () -> writer.memory(memory.fd()),
          ErrorCode.FULL,
          "python-numpy",
          disk.toString(),
          "ENOSPC",
          "free some space");
      assertThat(store.list()).isEmpty();
    }
    assertNothingLeft();
    Samples.commit(store, TAG, temp);
    assertThat(store.list()).hasSize(1);
  }

  @Test
  void aRootDiskThatDoesNotFitIsRefusedAsFull() throws Exception {
    Path image = Samples.file(temp.resolve("image"), 4 << 20);
    try (SnapshotWriter writer = store.begin(TAG)) {
      assertFails(() -> writer.rootfs(image, ""), ErrorCode.FULL, "ENOSPC");
    }
    assertNothingLeft();
  }

  @Test
  void aDeviceStateThatDoesNotFitIsRefusedAsFull() throws Exception {
    Path state = Samples.file(temp.resolve("state"), 4 << 20);
    try (SnapshotWriter writer = store.begin(TAG);
        Fd file = StoredSnapshot.open(state)) {
      assertFails(() -> writer.deviceState(file), ErrorCode.FULL, "ENOSPC");
    }
    assertNothingLeft();
  }

  @Test
  void aManifestThatDoesNotFitLeavesTheSnapshotInvisible() throws Exception {
    try (SnapshotWriter writer = store.begin(TAG)) {
      Manifest manifest = Samples.parts(writer, TAG, temp);
      fill();
      assertFails(() -> writer.commit(manifest), ErrorCode.FULL, "ENOSPC");
      assertThat(store.list()).isEmpty();
    }
    Files.delete(disk.resolve("filler"));
    assertNothingLeft();
  }

  @Test
  void aDeltaThatDoesNotFitIsRefusedAsFull() throws Exception {
    try (Memfd memory = memoryOf(4);
        SnapshotWriter writer = store.begin(TAG)) {
      List<PageRange> all = List.of(new PageRange(0, memory.size()));
      assertFails(
          () -> writer.delta(memory.fd(), all, memory.size()), ErrorCode.FULL, "ENOSPC", "free");
    }
    assertNothingLeft();
  }

  @Test
  void layersThatDoNotFitAreRefusedAsFull() throws Exception {
    try (Memfd base = Memfd.create("forkd-test", 4 << 20);
        Memfd memory = memoryOf(4);
        SnapshotWriter writer = store.begin(TAG)) {
      var layer = new SnapshotWriter.Layer(memory.fd(), List.of(new PageRange(0, memory.size())));
      assertFails(() -> writer.flat(base.fd(), List.of(layer)), ErrorCode.FULL, "ENOSPC", "free");
    }
    assertNothingLeft();
  }

  @Test
  void anAnnouncementThatDoesNotFitIsRefusedAndLeavesNothing() throws Exception {
    try (SnapshotWriter writer = store.begin(TAG)) {
      fill();
      assertFails(() -> writer.announce(Samples.pending(TAG)), ErrorCode.FULL, "ENOSPC");
      assertThat(store.pending()).isEmpty();
    }
    Files.delete(disk.resolve("filler"));
    assertNothingLeft();
  }

  @Test
  void anAnnouncedSnapshotThatDoesNotFitIsKnownToHaveFailed() throws Exception {
    try (Memfd memory = memoryOf(4);
        SnapshotWriter writer = store.begin(TAG)) {
      writer.announce(Samples.pending(TAG));
      assertFails(() -> writer.memory(memory.fd()), ErrorCode.FULL, "ENOSPC");
      writer.failed("the disk is full");
    }
    for (Store each : List.of(store, Store.open(disk))) {
      assertThat(each.pending()).containsExactly(Samples.pending(TAG).failed("the disk is full"));
    }
  }

  @Test
  void aFailureThatCannotEvenBeNotedIsKnownAllTheSame() throws Exception {
    try (SnapshotWriter writer = store.begin(TAG)) {
      writer.announce(Samples.pending(TAG));
      fill();
      writer.failed("the disk is full");
    }
    assertThat(store.pending()).containsExactly(Samples.pending(TAG).failed("the disk is full"));
    assertThat(Store.open(disk).pending())
        .containsExactly(
            Samples.pending(TAG).failed("the daemon ended while it was being written"));
  }

  private void fill() throws IOException {
    byte[] block = new byte[4096];
    try (var out = Files.newOutputStream(disk.resolve("filler"))) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
  }
}

package io.forkd.store;

import static io.forkd.store.Samples.TAG;
import static io.forkd.store.StoreTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.ErrorCode;
import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
    try (var entries = Files.list(disk.resolve("snapshots"))) {
      assertThat(entries).containsExactly(disk.resolve("snapshots/.staging"));
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
    try (SnapshotWriter writer = store.begin(TAG)) {
      assertFails(() -> writer.deviceState(state), ErrorCode.FULL, "ENOSPC");
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

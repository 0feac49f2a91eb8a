package io.forkd.store;

import static io.forkd.store.Samples.MEMORY_BYTES;
import static io.forkd.store.Samples.PAGE;
import static io.forkd.store.Samples.TAG;
import static io.forkd.store.StoreTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.Folders;
import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.Memfd;
import io.forkd.linux.OpenFlag;
import io.forkd.linux.PageDigest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SnapshotWriterTest {
  @TempDir Path temp;
  private Store store;
  private SnapshotWriter writer;

  @BeforeEach
  void begin() {
    store = Store.open(temp.resolve("data"));
    writer = store.begin(TAG);
  }

  @AfterEach
  void close() {
    writer.close();
  }

  private Manifest.MemoryLayer memoryOf(Tag tag, Consumer<Memfd> fill) {
    try (SnapshotWriter other = store.begin(tag);
        Memfd memory = Samples.memory()) {
      fill.accept(memory);
      return other.memory(memory.fd());
    }
  }

  @Test
  void memoryTakesTheRoomOfItsNonZeroPagesOnly() {
    Manifest.MemoryLayer layer = memoryOf(Tag.of("m"), memory -> {});
    assertThat(layer.logicalBytes()).isEqualTo(MEMORY_BYTES);
    assertThat(layer.physicalBytes()).isPositive().isLessThan(MEMORY_BYTES / 100);
  }

  @Test
  void memoryWrittenWithZerosIsTheSameLayer() {
    Manifest.MemoryLayer sparse = memoryOf(Tag.of("sparse"), memory -> {});
    Manifest.MemoryLayer dense =
        memoryOf(
            Tag.of("dense"),
            memory -> {
              for (long page = 2; page < 100; page++) {
                FileIo.pwrite(memory.fd(), ByteBuffer.allocate(PAGE), page * PAGE);
              }
            });
    assertThat(dense.sha256()).isEqualTo(sparse.sha256());
    assertThat(dense.physicalBytes()).isEqualTo(sparse.physicalBytes());
  }

  @Test
  void everyByteOfMemoryCountsAndSoDoesItsPlace() {
    String sha256 = memoryOf(Tag.of("a"), memory -> {}).sha256();
    assertThat(memoryOf(Tag.of("b"), memory -> Samples.put(memory, 100, (byte) 99)).sha256())
        .isNotEqualTo(sha256);
    assertThat(memoryOf(Tag.of("c"), memory -> Samples.put(memory, 101, (byte) 101)).sha256())
        .isNotEqualTo(sha256);
  }

  @Test
  void theKeptMemoryIsWhatTheGuestHad() throws IOException {
    writer.close();
    StoredSnapshot kept = Samples.commit(store, TAG, temp);
    try (Memfd memory = Samples.memory();
        Fd file = StoredSnapshot.open(kept.memoryFile())) {
      assertThat(FileIo.size(file)).isEqualTo(MEMORY_BYTES);
      assertThat(PageDigest.of(file))
          .isEqualTo(PageDigest.of(memory.fd()))
          .isEqualTo(kept.manifest().memory().sha256());
    }
  }

  @Test
  void theKeptDeviceStateIsACopyTheMonitorCannotChange() throws IOException {
    Path written = Samples.file(temp.resolve("state"), 5000);
    Manifest.StateFile kept = writer.deviceState(written);
    assertThat(kept.bytes()).isEqualTo(5000);
    assertThat(kept.file()).isEqualTo("device.state");
    try (Fd file = StoredSnapshot.open(written)) {
      assertThat(kept.sha256()).isEqualTo(PageDigest.of(file));
    }
    Path copy;
    try (var entries = Files.walk(temp.resolve("data"))) {
      copy = entries.filter(path -> path.endsWith("device.state")).findFirst().orElseThrow();
    }
    Files.writeString(written, "changed");
    assertThat(Files.size(copy)).isEqualTo(5000);
  }

  @Test
  void aDeviceStateThatIsASymbolicLinkIsRefused() throws IOException {
    Path target = Samples.file(temp.resolve("secret"), 5000);
    assertUnusable(Files.createSymbolicLink(temp.resolve("state"), target));
  }

  @Test
  void aDeviceStateThatIsAFolderOrADeviceIsRefused() throws IOException {
    assertUnusable(Files.createDirectory(temp.resolve("folder")));
    assertUnusable(Path.of("/dev/zero"));
  }

  @Test
  void aDeviceStateThatIsAPipeIsRefusedAndNotWaitedFor() throws Exception {
    Path pipe = temp.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertUnusable(pipe);
  }

  @Test
  void aDeviceStateThatIsEmptyOrMissingOrHugeIsRefused() throws IOException {
    assertUnusable(Files.createFile(temp.resolve("empty")));
    assertUnusable(temp.resolve("missing"));
    Path huge = temp.resolve("huge");
    try (Fd file = HostFiles.create(huge, 0600)) {
      FileIo.truncate(file, (64L << 20) + 1);
    }
    assertUnusable(huge);
    try (Fd file = HostFiles.open(huge, OpenFlag.READ_WRITE)) {
      FileIo.truncate(file, 1L << 40);
    }
    assertUnusable(huge);
  }

  private void assertUnusable(Path state) {
    assertFails(
        () -> writer.deviceState(state),
        ErrorCode.GUEST_FAILED,
        "no usable device state",
        state.toString());
  }

  @Test
  void theLargestDeviceStateAllowedIsTaken() throws IOException {
    Path large = temp.resolve("large");
    try (Fd file = HostFiles.create(large, 0600)) {
      FileIo.truncate(file, 64L << 20);
    }
    assertThat(writer.deviceState(large).bytes()).isEqualTo(64L << 20);
  }

  @Test
  void aDeviceStateInMemoryIsKeptWholeWhereverItsReaderIs() throws IOException {
    byte[] state = new byte[3 * PAGE + 5];
    new Random(1).nextBytes(state);
    try (Memfd written = Memfd.create("forkd-test", state.length)) {
      FileIo.pwrite(written.fd(), ByteBuffer.wrap(state), 0);
      Manifest.StateFile kept = writer.deviceState(written.fd());
      assertThat(kept)
          .isEqualTo(
              new Manifest.StateFile("device.state", state.length, PageDigest.of(written.fd())));
    }
    try (var entries = Files.walk(temp.resolve("data"))) {
      Path copy = entries.filter(path -> path.endsWith("device.state")).findFirst().orElseThrow();
      assertThat(copy).hasBinaryContent(state);
    }
  }

  @Test
  void anOpenDeviceStateThatIsEmptyOrHugeOrNoFileIsRefused() {
    try (Memfd empty = Memfd.create("forkd-test", 0);
        Memfd huge = Memfd.create("forkd-test", (64L << 20) + 1);
        Fd device = HostFiles.open(Path.of("/dev/zero"), OpenFlag.READ)) {
      for (Fd each : List.of(empty.fd(), huge.fd(), device)) {
        assertFails(
            () -> writer.deviceState(each), ErrorCode.GUEST_FAILED, "no usable device state");
      }
    }
  }

  @Test
  void aRootDiskOnTheSameFileSystemIsNotCopied() throws IOException {
    Path image = Samples.file(temp.resolve("image"), 100_000);
    Manifest.StateFile kept = writer.rootfs(image, "cafe");
    assertThat(kept).isEqualTo(new Manifest.StateFile("rootfs.img", 100_000, "cafe"));
    assertThat(Files.getAttribute(image, "unix:nlink")).isEqualTo(2);
  }

  @Test
  void aRootDiskOnAnotherFileSystemIsCopied() throws IOException {
    Path elsewhere = Files.createTempDirectory(Path.of("/dev/shm"), "forkd-test");
    try {
      assertThat(Files.getFileStore(elsewhere)).isNotEqualTo(Files.getFileStore(temp));
      Path image = Samples.file(elsewhere.resolve("image"), 100_000);
      assertThat(writer.rootfs(image, "cafe").bytes()).isEqualTo(100_000);
      assertThat(Files.getAttribute(image, "unix:nlink")).isEqualTo(1);
      try (var entries = Files.walk(temp.resolve("data"))) {
        Path copy = entries.filter(path -> path.endsWith("rootfs.img")).findFirst().orElseThrow();
        assertThat(copy).hasSameBinaryContentAs(image);
      }
    } finally {
      Folders.deleteIfThere(elsewhere);
    }
  }

  @Test
  void aMissingRootDiskIsNamedAndNotBlamedOnFullDisks() {
    Path missing = temp.resolve("missing");
    assertFails(() -> writer.rootfs(missing, ""), ErrorCode.HOST_FAILED, missing.toString());
    assertThatThrownBy(() -> writer.rootfs(missing, ""))
        .message()
        .doesNotContain("free some space");
  }
}

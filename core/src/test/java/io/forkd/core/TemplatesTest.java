package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.Memfd;
import io.forkd.linux.OpenFlag;
import io.forkd.store.Manifest;
import io.forkd.store.SnapshotWriter;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import io.forkd.vmm.GuestShape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class TemplatesTest {
  private static final Tag TAG = Tag.of("templates-test");
  static final Manifest.Vmm HERE = new Manifest.Vmm("fake", "1.0.0", "any", "none/none", "none");

  @TempDir Path temp;
  private Store store;
  private Templates templates;
  private StoredSnapshot snapshot;

  @BeforeEach
  void open() throws IOException {
    store = Store.open(temp);
    templates = new Templates(store, HERE, new LayerPool());
    snapshot = keep(store, TAG, temp);
  }

  @AfterEach
  void close() {
    templates.close();
    assertThat(openMemories()).as("every memory image is closed").isZero();
  }

  /** A snapshot of one MiB with one page in it. */
  static StoredSnapshot keep(Store store, Tag tag, Path temp) throws IOException {
    Path file = Files.writeString(temp.resolve("part"), "part");
    try (SnapshotWriter writer = store.begin(tag);
        Fd state = StoredSnapshot.open(file);
        Memfd memory = Memfd.create("forkd-sample", 1 << 20)) {
      FileIo.pwrite(memory.fd(), ByteBuffer.wrap(new byte[] {1, 2, 3}), 8192);
      return writer.commit(
          new Manifest(
              Manifest.FORMAT,
              tag,
              1_700_000_000,
              "test",
              HERE,
              new Manifest.Guest(1, 2, "6.1"),
              writer.memory(memory.fd()),
              writer.deviceState(state),
              writer.rootfs(file, "cafe"),
              1,
              List.of(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty()));
    }
  }

  private static long openMemories() {
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      return entries.filter(TemplatesTest::isMemory).count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isMemory(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString().contains("memfd:forkd-ram-" + TAG);
    } catch (IOException e) {
      return false;
    }
  }

  private static void assertFails(ThrowingCallable call, ErrorCode code, String said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(said);
  }

  @Test
  void aSnapshotIsLoadedOnceForAllWhoUseIt() throws Exception {
    CountDownLatch all = new CountDownLatch(20);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> users = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        users.add(
            threads.submit(
                () ->
                    templates.using(
                        TAG,
                        template -> {
                          all.countDown();
                          awaitQuietly(all);
                          return openMemories();
                        })));
      }
      for (Future<Long> user : users) {
        assertThat(user.get()).isEqualTo(1);
      }
    }
    assertThat(openMemories()).as("it stays ready for the next").isEqualTo(1);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void hasTheShapeTheManifestSays() {
    assertThat(templates.<GuestShape>using(TAG, Template::shape)).isEqualTo(new GuestShape(1, 2));
    assertThat(templates.<Manifest>using(TAG, Template::about)).isEqualTo(snapshot.manifest());
  }

  @Test
  void aTemplateInUseStaysWholeWhenItsSnapshotIsRemoved() {
    templates.using(
        TAG,
        template -> {
          store.removeAlone(TAG);
          templates.forget(TAG);
          assertThat(openMemories()).isEqualTo(1);
          return template;
        });
    assertThat(openMemories()).isZero();
    assertFails(() -> templates.using(TAG, Template::shape), ErrorCode.NOT_FOUND, TAG.value());
  }

  @Test
  void aFailedUseLetsGoToo() {
    assertThatThrownBy(
            () ->
                templates.using(
                    TAG,
                    template -> {
                      throw new IllegalStateException("on purpose");
                    }))
        .hasMessage("on purpose");
    templates.forget(TAG);
    assertThat(openMemories()).isZero();
  }

  @Test
  void forgettingWhatIsNotLoadedIsFine() {
    templates.forget(TAG);
    templates.forget(Tag.of("unknown"));
    assertThat(openMemories()).isZero();
  }

  @Test
  void aMemoryImageThatHasChangedIsRefusedByNameAndNotKept() {
    try (var file = HostFiles.open(snapshot.memoryFile(), OpenFlag.READ_WRITE)) {
      FileIo.pwrite(file, ByteBuffer.wrap(new byte[] {9}), 8192);
    }
    for (int i = 0; i < 2; i++) {
      assertFails(
          () -> templates.using(TAG, Template::shape),
          ErrorCode.CONFLICT,
          snapshot.memoryFile() + " has changed");
    }
    assertThat(openMemories()).isZero();
  }

  @Test
  void aMissingPartIsRefusedUntilItIsBack() throws IOException {
    Path aside = Files.move(snapshot.rootfsFile(), temp.resolve("aside"));
    assertFails(
        () -> templates.using(TAG, Template::shape), ErrorCode.CONFLICT, "rootfs.img is missing");
    Files.move(aside, snapshot.rootfsFile());
    assertThat(templates.<GuestShape>using(TAG, Template::shape)).isNotNull();
  }

  @Test
  void aSnapshotOfAnotherMonitorIsRefused() {
    Templates elsewhere =
        new Templates(
            store, new Manifest.Vmm("fake", "2.0.0", "any", "none/none", "none"), new LayerPool());
    assertFails(() -> elsewhere.using(TAG, Template::shape), ErrorCode.CONFLICT, "fake 2.0.0");
  }

  @Test
  void aSnapshotIsShownWithWhatStandsInItsWay() throws IOException {
    SnapshotViews views = new SnapshotViews(HERE, temp);
    Snapshot whole = views.of(snapshot, 0, store.whyBroken(TAG));
    assertThat(whole.bootable()).isTrue();
    assertThat(whole.warning()).isEmpty();
    Files.delete(snapshot.deviceStateFile());
    Snapshot broken = views.of(snapshot, 0, store.whyBroken(TAG));
    assertThat(broken.bootable()).isFalse();
    assertThat(broken.warning().orElseThrow()).contains("device.state is missing");
    SnapshotViews elsewhere =
        new SnapshotViews(new Manifest.Vmm("fake", "2.0.0", "any", "none/none", "none"), temp);
    assertThat(elsewhere.of(snapshot, 0, Optional.empty()).warning().orElseThrow())
        .contains("fake 2.0.0");
  }
}

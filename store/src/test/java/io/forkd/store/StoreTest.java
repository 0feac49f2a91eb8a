package io.forkd.store;

import static io.forkd.store.Samples.TAG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StoreTest {
  @TempDir Path temp;
  private Path data;
  private Store store;

  @BeforeEach
  void open() {
    data = temp.resolve("data");
    store = Store.open(data);
  }

  private Path staging() {
    return data.resolve("snapshots/.staging");
  }

  static void assertFails(ThrowingCallable call, ErrorCode code, String... said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .satisfies(
            e -> {
              for (String each : said) {
                assertThat(e).hasMessageContaining(each);
              }
            });
  }

  @Test
  void anEmptyStoreListsNothing() {
    assertThat(store.list()).isEmpty();
    assertFails(() -> store.get(TAG), ErrorCode.NOT_FOUND, "python-numpy", "forkd images");
    assertFails(() -> store.removeAlone(TAG), ErrorCode.NOT_FOUND, "python-numpy");
  }

  @Test
  void aCommittedSnapshotIsFoundAgainAlsoByTheNextDaemon() throws IOException {
    StoredSnapshot kept = Samples.commit(store, TAG, temp);
    for (Store each : List.of(store, Store.open(data))) {
      assertThat(each.get(TAG)).isEqualTo(kept);
      assertThat(each.list()).containsExactly(kept);
      each.get(TAG).checkFiles();
    }
    assertThat(kept.dir()).isEqualTo(data.resolve("snapshots/python-numpy"));
    assertThat(kept.manifest().warning()).isEmpty();
    assertThat(kept.manifest().rehearsal()).contains("None");
    assertThat(staging()).isEmptyDirectory();
  }

  @Test
  void snapshotsAreListedByTag() throws IOException {
    for (String tag : List.of("b", "c", "a", "B", "_x")) {
      Samples.commit(store, Tag.of(tag), temp);
    }
    assertThat(store.list())
        .extracting(snapshot -> snapshot.manifest().tag().value())
        .containsExactly("B", "_x", "a", "b", "c");
  }

  @Test
  void nothingIsVisibleBeforeCommit() throws IOException {
    try (SnapshotWriter writer = store.begin(TAG)) {
      assertThat(store.isBeingWritten(TAG)).isTrue();
      assertInvisible();
      Manifest manifest = Samples.parts(writer, TAG, temp);
      assertInvisible();
      writer.commit(manifest);
      assertThat(store.list()).hasSize(1);
    }
    assertThat(store.isBeingWritten(TAG)).isFalse();
    assertThat(store.list()).hasSize(1);
  }

  private void assertInvisible() {
    assertThat(store.list()).isEmpty();
    assertFails(() -> store.get(TAG), ErrorCode.NOT_FOUND);
    assertFails(() -> store.removeAlone(TAG), ErrorCode.NOT_FOUND);
    assertThat(data.resolve("snapshots/python-numpy")).doesNotExist();
  }

  @Test
  void closingWithoutCommitLeavesNothingAndGivesTheTagBack() throws IOException {
    try (SnapshotWriter writer = store.begin(TAG)) {
      Samples.parts(writer, TAG, temp);
    }
    assertThat(staging()).isEmptyDirectory();
    assertThat(store.list()).isEmpty();
    assertThat(Samples.commit(store, TAG, temp).manifest().tag()).isEqualTo(TAG);
  }

  @Test
  void theSecondWriterOfATagIsRefused() {
    try (SnapshotWriter first = store.begin(TAG)) {
      assertThat(first).isNotNull();
      assertFails(
          () -> store.begin(TAG), ErrorCode.CONFLICT, "python-numpy", "being made", "another tag");
      try (SnapshotWriter other = store.begin(Tag.of("other"))) {
        assertThat(other).isNotNull();
      }
    }
    try (SnapshotWriter again = store.begin(TAG)) {
      assertThat(again).isNotNull();
    }
  }

  @Test
  void ofManyWritersOfOneTagExactlyOneGetsIt() throws Exception {
    int writers = 50;
    CountDownLatch allTried = new CountDownLatch(writers);
    int won = 0;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> attempts = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        attempts.add(
            threads.submit(
                () -> {
                  SnapshotWriter mine;
                  try {
                    mine = store.begin(TAG);
                  } finally {
                    allTried.countDown();
                  }
                  try (mine) {
                    allTried.await();
                  }
                  return null;
                }));
      }
      for (Future<?> attempt : attempts) {
        try {
          attempt.get();
          won++;
        } catch (ExecutionException e) {
          assertThat(e.getCause())
              .isInstanceOfSatisfying(
                  ForkdException.class, f -> assertThat(f.code()).isEqualTo(ErrorCode.CONFLICT));
        }
      }
    }
    assertThat(won).isEqualTo(1);
  }

  @Test
  void aWriterClosedTwiceDoesNotGiveAwayTheNextWritersTag() {
    SnapshotWriter first = store.begin(TAG);
    first.close();
    try (SnapshotWriter second = store.begin(TAG)) {
      assertThat(second).isNotNull();
      first.close();
      assertFails(() -> store.begin(TAG), ErrorCode.CONFLICT, "being made");
    }
  }

  @Test
  void aTagThatExistsIsRefusedAndTheAttemptLeavesNoReservation() throws IOException {
    Samples.commit(store, TAG, temp);
    for (int i = 0; i < 2; i++) {
      assertFails(() -> store.begin(TAG), ErrorCode.CONFLICT, "exists", "forkd rmi python-numpy");
    }
    assertThat(store.isBeingWritten(TAG)).isFalse();
    assertThat(staging()).isEmptyDirectory();
  }

  @Test
  void aSnapshotThatAppearedMeanwhileIsNotOverwritten() throws IOException {
    try (SnapshotWriter writer = store.begin(TAG)) {
      Manifest manifest = Samples.parts(writer, TAG, temp);
      Path taken = Files.createDirectories(data.resolve("snapshots/python-numpy"));
      Samples.file(taken.resolve("precious"), 3);
      assertFails(() -> writer.commit(manifest), ErrorCode.CONFLICT, "python-numpy");
      assertThat(taken.resolve("precious")).exists();
    }
    assertThat(staging()).isEmptyDirectory();
  }

  @Test
  void aRemovedSnapshotIsGoneFromListAndDiskAndItsTagIsFree() throws IOException {
    Samples.commit(store, TAG, temp);
    Samples.commit(store, Tag.of("other"), temp);
    store.removeAlone(TAG);
    assertThat(store.list()).extracting(s -> s.manifest().tag().value()).containsExactly("other");
    assertThat(data.resolve("snapshots/python-numpy")).doesNotExist();
    assertThat(staging()).isEmptyDirectory();
    assertFails(() -> store.removeAlone(TAG), ErrorCode.NOT_FOUND);
    Samples.commit(store, TAG, temp);
  }

  @Test
  void ofManyWhoRemoveASnapshotOneDoesAndTheOthersFindItGone() throws Exception {
    Samples.commit(store, TAG, temp);
    List<ErrorCode> refusals = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> attempts = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        attempts.add(threads.submit(() -> store.removeAlone(TAG)));
      }
      for (Future<?> attempt : attempts) {
        try {
          attempt.get();
        } catch (ExecutionException e) {
          assertThat(e.getCause())
              .isInstanceOfSatisfying(ForkdException.class, f -> refusals.add(f.code()));
        }
      }
    }
    assertThat(refusals).hasSize(19).containsOnly(ErrorCode.NOT_FOUND);
  }

  @Test
  void whatADeadDaemonLeftInStagingIsRemovedOnOpen() throws IOException {
    SnapshotWriter abandoned = store.begin(TAG);
    Samples.parts(abandoned, TAG, temp);
    assertThat(staging()).isNotEmptyDirectory();
    Store next = Store.open(data);
    assertThat(staging()).isEmptyDirectory();
    assertThat(Samples.commit(next, TAG, temp).manifest().tag()).isEqualTo(TAG);
  }

  @Test
  void strangeEntriesInTheFolderAreNotSnapshots() throws IOException {
    Path root = data.resolve("snapshots");
    Files.createDirectories(root.resolve("no-manifest"));
    Files.writeString(root.resolve("a-file"), "x");
    Files.createDirectories(root.resolve("garbage"));
    Files.writeString(root.resolve("garbage/manifest.json"), "{");
    StoredSnapshot good = Samples.commit(store, TAG, temp);
    assertThat(store.list()).containsExactly(good);
    assertFails(() -> store.get(Tag.of("garbage")), ErrorCode.CONFLICT, "manifest.json");
    store.removeAlone(Tag.of("garbage"));
    assertThat(root.resolve("garbage")).doesNotExist();
  }

  @Test
  void oneLookTellsEverythingByTag() throws IOException {
    Samples.commit(store, Tag.of("b"), temp);
    Samples.commit(store, Tag.of("a"), temp);
    Files.createDirectories(data.resolve("snapshots/bad"));
    try (SnapshotWriter writer = store.begin(Tag.of("w"))) {
      writer.announce(Samples.pending(Tag.of("w")));
      Listing listing = store.look();
      assertThat(listing.snapshots())
          .extracting(each -> each.manifest().tag().value())
          .containsExactly("a", "b");
      assertThat(listing.damaged())
          .singleElement()
          .satisfies(
              each -> {
                assertThat(each.tag()).isEqualTo(Tag.of("bad"));
                assertThat(each.reason()).contains("manifest.json");
              });
      assertThat(listing.pending()).containsExactly(Samples.pending(Tag.of("w")));
      assertThat(store.damaged()).isEqualTo(listing.damaged());
      assertThat(store.list()).isEqualTo(listing.snapshots());
    }
  }

  @Test
  void aDataFolderThatCannotBeMadeIsNamed() throws IOException {
    Path file = Samples.file(temp.resolve("file"), 1);
    assertFails(() -> Store.open(file.resolve("data")), ErrorCode.HOST_FAILED, file.toString());
  }
}

package io.forkd.store;

import static io.forkd.store.Samples.TAG;
import static io.forkd.store.StoreTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.forkd.base.ErrorCode;
import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots that are known before they are there; a daemon that dies is a store opened anew. */
@Timeout(60)
class PendingTest {
  private static final String ENDED = "the daemon ended while it was being written";

  @TempDir Path temp;
  private Path data;
  private Path note;
  private Store store;
  private final Pending pending = Samples.pending(TAG);

  @BeforeEach
  void open() {
    data = temp.resolve("data");
    note = data.resolve("snapshots/.pending/python-numpy.json");
    store = Store.open(data);
  }

  private Path staging() {
    return data.resolve("snapshots/.staging");
  }

  private void assertHolds(Store held, Pending expected) {
    assertThat(held.pending()).containsExactly(expected);
    assertThat(held.look().pending()).containsExactly(expected);
    assertThat(held.look().damaged()).isEmpty();
    assertThat(held.list()).isEmpty();
  }

  @Test
  void anAnnouncedSnapshotIsKnownUntilItIsThere() throws IOException {
    try (SnapshotWriter writer = store.begin(TAG)) {
      assertThat(store.pending()).isEmpty();
      writer.announce(pending);
      assertHolds(store, pending);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(note)))
          .isEqualTo("rw-r--r--");
      assertFails(() -> store.get(TAG), ErrorCode.CONFLICT, "still being written", "forkd images");
      assertFails(() -> store.removeAlone(TAG), ErrorCode.CONFLICT, "still being written");
      assertFails(() -> store.removeForced(TAG), ErrorCode.CONFLICT, "still being written");
      assertFails(() -> store.begin(TAG), ErrorCode.CONFLICT, "being made by another request");
      writer.commit(Samples.parts(writer, TAG, temp));
      assertThat(store.pending()).isEmpty();
      assertThat(store.look().snapshots()).hasSize(1);
      assertThat(note).doesNotExist();
    }
    assertThat(store.pending()).isEmpty();
    assertThat(store.list()).hasSize(1);
  }

  @Test
  void anAnnouncedSnapshotThatIsGivenUpHoldsItsTagUntilRemoved() throws IOException {
    try (SnapshotWriter writer = store.begin(TAG)) {
      writer.announce(pending);
      Samples.parts(writer, TAG, temp);
    }
    assertThat(staging()).isEmptyDirectory();
    for (Store each : List.of(store, Store.open(data), Store.open(data))) {
      assertHolds(each, pending.failed("it was given up"));
      assertFails(
          () -> each.begin(TAG), ErrorCode.CONFLICT, "it was given up", "forkd rmi python-numpy");
      assertFails(() -> each.get(TAG), ErrorCode.CONFLICT, "was not kept", "forkd rmi");
      assertFails(
          () -> each.begin(Tag.of("child"), Optional.of(TAG)), ErrorCode.CONFLICT, "was not kept");
      assertThat(each.isBeingWritten(TAG)).isFalse();
    }
    store.removeAlone(TAG);
    assertThat(store.pending()).isEmpty();
    assertThat(note).doesNotExist();
    assertFails(() -> store.removeAlone(TAG), ErrorCode.NOT_FOUND);
    Samples.commit(store, TAG, temp);
  }

  @Test
  void theReasonOfAFailureIsKept() {
    String reason = "QEMU said \"no\"\nand ended with \u0007 é";
    try (SnapshotWriter writer = store.begin(TAG)) {
      writer.announce(pending);
      writer.failed("something else");
      writer.failed(reason);
    }
    assertHolds(store, pending.failed(reason));
    Store next = Store.open(data);
    assertHolds(next, pending.failed(reason));
    assertThat(next.removeWithDependents(TAG)).containsExactly(TAG);
    assertThat(Store.open(data).pending()).isEmpty();
  }

  @Test
  void whatWasNotAnnouncedLeavesNothingWhateverItsReason() {
    try (SnapshotWriter writer = store.begin(TAG)) {
      writer.failed("nobody will know");
    }
    assertThat(store.pending()).isEmpty();
    assertThat(note).doesNotExist();
    store.begin(TAG).close();
  }

  @Test
  void aWriterAnnouncesItsOwnSnapshotOnly() {
    try (SnapshotWriter writer = store.begin(TAG)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.announce(Samples.pending(Tag.of("other"))));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.announce(pending.failed("already")));
    }
    assertThat(store.pending()).isEmpty();
  }

  @Test
  void thePendingAreListedByTagWithTheirParents() throws IOException {
    Samples.commit(store, TAG, temp);
    Tag a = Tag.of("a");
    Tag b = Tag.of("b");
    Pending onA =
        Pending.writing(
            b,
            3,
            64,
            Optional.of(a),
            Optional.of(Samples.BRANCH),
            Optional.empty(),
            Optional.empty());
    Pending onTag =
        Pending.writing(
            a, 2, 64, Optional.of(TAG), Optional.empty(), Optional.empty(), Optional.empty());
    SnapshotWriter first = store.begin(a, Optional.of(TAG));
    SnapshotWriter second = store.begin(b, Optional.of(a));
    second.announce(onA);
    first.announce(onTag);
    assertThat(store.pending()).containsExactly(onTag, onA);
    assertThat(store.ancestors(b)).containsExactly(TAG, a);
    assertThat(store.look().ancestors(b)).containsExactly(TAG, a);
    Store next = Store.open(data);
    assertThat(next.pending()).containsExactly(onTag.failed(ENDED), onA.failed(ENDED));
    assertThat(next.dependents(a)).as("a failed one needs no parent").isEmpty();
    next.removeAlone(TAG);
  }

  @Test
  void aDaemonThatDiesBeforeAnAnnouncementLeavesNothing() throws IOException {
    SnapshotWriter abandoned = store.begin(TAG);
    Samples.parts(abandoned, TAG, temp);
    Files.writeString(staging().resolve("python-numpy-note-12345678"), "{\"tag\": \"pyth");
    Store next = Store.open(data);
    assertThat(next.pending()).isEmpty();
    assertThat(staging()).isEmptyDirectory();
    next.begin(TAG).close();
  }

  @Test
  void aDaemonThatDiesAfterAnAnnouncementLeavesAFailure() {
    store.begin(TAG).announce(pending);
    assertHolds(Store.open(data), pending.failed(ENDED));
    assertHolds(Store.open(data), pending.failed(ENDED));
  }

  @Test
  void aDaemonThatDiesWhileWritingLeavesAFailureAndNoFiles() throws IOException {
    SnapshotWriter abandoned = store.begin(TAG);
    abandoned.announce(pending);
    Manifest manifest = Samples.parts(abandoned, TAG, temp);
    try (var entries = Files.list(staging())) {
      ManifestFile.write(entries.findFirst().orElseThrow(), manifest); // all but the rename
    }
    assertHolds(Store.open(data), pending.failed(ENDED));
    assertThat(staging()).isEmptyDirectory();
  }

  @Test
  void aDaemonThatDiesRightAfterTheRenameLeavesASnapshotAndNoFailure() throws IOException {
    try (SnapshotWriter writer = store.begin(TAG)) {
      writer.announce(pending);
      byte[] written = Files.readAllBytes(note);
      writer.commit(Samples.parts(writer, TAG, temp));
      Files.write(note, written);
    }
    Store next = Store.open(data);
    assertThat(next.pending()).isEmpty();
    assertThat(next.list()).hasSize(1);
    assertThat(note).doesNotExist();
    next.removeAlone(TAG);
    assertThat(Store.open(data).pending()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "[]",
        "{}",
        "{\"tag\": \"../x\"}",
        "\u0000\u0000",
        "{\"tag\": 1}"
      })
  void aNoteThatCannotBeReadStillHoldsItsTag(String content) throws IOException {
    store.begin(TAG).announce(pending);
    Files.writeString(note, content);
    Store next = Store.open(data);
    assertThat(next.pending())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.tag()).isEqualTo(TAG);
              assertThat(found.state()).isEqualTo(Pending.State.FAILED);
              assertThat(found.reason().orElseThrow()).contains(note.toString(), "cannot be read");
            });
    next.removeAlone(TAG);
    assertThat(note).doesNotExist();
    next.begin(TAG).close();
  }

  @Test
  void aNoteUnderAnothersNameIsNotTakenForIt() throws IOException {
    store.begin(TAG).announce(pending);
    Files.copy(note, note.resolveSibling("other.json"));
    assertThat(Store.open(data).pending())
        .extracting(each -> each.tag().value(), each -> each.branch().isPresent())
        .containsExactly(tuple("other", false), tuple("python-numpy", true));
  }

  @Test
  void strangeFilesAmongTheNotesAreLeftAlone() throws IOException {
    Path folder = Files.createDirectories(note.resolveSibling("folder/deep"));
    Path readme = Files.writeString(note.resolveSibling("README"), "hello");
    Path invalid = Files.writeString(note.resolveSibling("-x.json"), "{}");
    Store next = Store.open(data);
    assertThat(next.pending()).isEmpty();
    assertThat(List.of(folder, readme, invalid)).allSatisfy(each -> assertThat(each).exists());
  }
}

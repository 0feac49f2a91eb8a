package io.forkd.store;

import static io.forkd.store.StoreTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A base with deltas on it: root, a on root, b on a, c on a. */
@Timeout(60)
class ChainTest {
  private static final Tag ROOT = Tag.of("root");
  private static final Tag A = Tag.of("a");
  private static final Tag B = Tag.of("b");
  private static final Tag C = Tag.of("c");

  @TempDir Path temp;
  private Path data;
  private Store store;

  @BeforeEach
  void build() throws IOException {
    data = temp.resolve("data");
    store = Store.open(data);
    Samples.commit(store, ROOT, temp);
    Samples.commitDelta(store, A, ROOT, temp);
    Samples.commitDelta(store, B, A, temp);
    Samples.commitDelta(store, C, A, temp);
  }

  private static List<Tag> tags(List<StoredSnapshot> snapshots) {
    return snapshots.stream().map(each -> each.manifest().tag()).toList();
  }

  private void rewrite(Tag tag, String from, String to) throws IOException {
    Path manifest = data.resolve("snapshots/%s/manifest.json".formatted(tag));
    String old = Files.readString(manifest);
    String changed = old.replace(from, to);
    assertThat(changed).as("the test changes something").isNotEqualTo(old);
    Files.writeString(manifest, changed);
  }

  private String hash(Tag tag) {
    return store.get(tag).manifest().contentHash();
  }

  @Test
  void aChainIsToldFromItsRoot() {
    for (Store each : List.of(store, Store.open(data))) {
      assertThat(tags(each.chain(B))).containsExactly(ROOT, A, B);
      assertThat(tags(each.chain(ROOT))).containsExactly(ROOT);
      assertThat(each.ancestors(B)).containsExactly(ROOT, A);
      assertThat(each.ancestors(ROOT)).isEmpty();
      assertThat(each.look().ancestors(C)).containsExactly(ROOT, A);
      assertThat(each.dependents(ROOT)).containsExactly(A);
      assertThat(each.dependents(A)).containsExactly(B, C);
      assertThat(each.dependents(B)).isEmpty();
      each.chain(B).forEach(StoredSnapshot::checkFiles);
    }
  }

  @Test
  void theContentHashOfADeltaIsThatOfItsParentAndItsPages() {
    Manifest root = store.get(ROOT).manifest();
    Manifest a = store.get(A).manifest();
    Manifest b = store.get(B).manifest();
    assertThat(root.isDelta()).isFalse();
    assertThat(root.contentHash()).isEqualTo(root.memory().sha256());
    assertThat(a.isDelta()).isTrue();
    assertThat(a.contentHash())
        .isEqualTo(Guests.sha256(root.memory().sha256() + ":" + a.memory().sha256()));
    assertThat(b.contentHash())
        .isEqualTo(Guests.sha256(a.contentHash() + ":" + b.memory().sha256()));
    assertThat(b.parent()).contains(new Manifest.Parent(A, a.contentHash()));
  }

  @Test
  void aDeltaFileOfTheWrongLengthIsNoticedWithoutReadingIt() throws IOException {
    Path file = store.get(A).memoryFile();
    assertThat(file).hasFileName("memory.delta");
    Files.write(file, new byte[1], StandardOpenOption.APPEND);
    assertFails(() -> store.get(A).checkFiles(), ErrorCode.CONFLICT, file.toString(), "instead of");
  }

  @Test
  void whatIsBuiltOnABrokenSnapshotIsBrokenToo() throws IOException {
    assertThat(store.look().broken()).isEmpty();
    assertThat(store.whyBroken(B)).isEmpty();
    Files.delete(store.get(A).memoryFile());
    assertThat(store.look().broken()).containsOnlyKeys(A, B, C);
    assertThat(store.look().broken().get(B)).contains("a/memory.delta is missing");
    assertThat(store.whyBroken(B).orElseThrow()).contains("a/memory.delta is missing");
    assertThat(store.whyBroken(ROOT)).isEmpty();
    store.removeForced(ROOT);
    assertThat(store.whyBroken(C).orElseThrow()).contains("snapshot root", "there is none");
  }

  @Test
  void aDeltaOnAManifestThatCannotBeReadSaysSoInOneLine() throws IOException {
    Path manifest = data.resolve("snapshots/a/manifest.json");
    Files.writeString(manifest, "{");
    assertThat(store.look().broken()).containsOnlyKeys(B, C);
    assertThat(store.look().broken().get(B))
        .contains("snapshot a", "cannot be read")
        .doesNotContain("\n", "REDACTED");
    Files.delete(manifest);
    assertThat(store.look().broken().get(B)).contains("manifest.json is missing");
  }

  @Test
  void aParentThatChangedIsRefusedWithBothTagsAndHashes() throws IOException {
    String pinned = hash(A);
    String digest = store.get(A).manifest().memory().sha256();
    rewrite(A, digest, "f".repeat(64));
    assertFails(
        () -> store.chain(B),
        ErrorCode.CONFLICT,
        "snapshot b is a delta to snapshot a with content hash %.12s".formatted(pinned),
        "found one with content hash %.12s".formatted(hash(A)),
        "forkd rmi b");
    assertThat(tags(store.chain(A))).containsExactly(ROOT, A);
    assertThat(store.ancestors(B)).containsExactly(ROOT, A);
  }

  @Test
  void aChangeFarDownTheChainIsNoticed() throws IOException {
    rewrite(ROOT, store.get(ROOT).manifest().memory().sha256(), "e".repeat(64));
    assertFails(() -> store.chain(B), ErrorCode.CONFLICT, "snapshot a is a delta to snapshot root");
  }

  @Test
  void aParentThatWasRebuiltUnderItsOldNameIsRefused() throws IOException {
    store.removeForced(A);
    Samples.commit(store, A, temp);
    assertFails(() -> store.chain(B), ErrorCode.CONFLICT, "b", "content hash");
  }

  @Test
  void aMissingOrDamagedParentIsNamed() throws IOException {
    Files.writeString(data.resolve("snapshots/a/manifest.json"), "{");
    assertFails(
        () -> store.chain(C), ErrorCode.CONFLICT, "snapshot c", "snapshot a", "cannot be used");
    assertThat(store.ancestors(C)).containsExactly(A);
    assertThat(store.look().ancestors(C)).containsExactly(A);
    store.removeForced(A);
    assertFails(
        () -> store.chain(C), ErrorCode.CONFLICT, "snapshot c", "snapshot a", "there is no");
    assertThat(store.ancestors(C)).containsExactly(A);
    assertThat(store.dependents(A)).containsExactly(B, C);
  }

  @Test
  void aParentOfAnotherSizeIsRefused() throws IOException {
    long bytes = Samples.MEMORY_BYTES;
    rewrite(A, "\"logical_bytes\" : " + bytes, "\"logical_bytes\" : " + 2 * bytes);
    assertFails(() -> store.chain(B), ErrorCode.CONFLICT, "bytes of memory and b has " + bytes);
  }

  @Test
  void parentsThatLeadInACircleAreRefused() throws IOException {
    // A circle cannot have matching hashes by honest means, so every link is made up here.
    String rootParent = "\"format\" : 2, \"parent\": {\"tag\": \"b\", \"content_hash\": \"x\"}";
    rewrite(ROOT, "\"format\" : 2", rootParent);
    assertThat(store.ancestors(B)).containsExactly(ROOT, A);
    assertThat(store.ancestors(ROOT)).containsExactly(A, B);
    assertFails(() -> store.chain(B), ErrorCode.CONFLICT);
    assertThat(store.removeWithDependents(B)).containsExactlyInAnyOrder(A, B, C, ROOT);
    assertThat(store.list()).isEmpty();
  }

  @Test
  void aSnapshotThatIsItsOwnParentIsRefused() {
    Manifest self = Samples.imagined("x", 1, Optional.of("x"), Optional.empty(), Optional.empty());
    StoredSnapshot stored = new StoredSnapshot(temp, self);
    assertFails(() -> Chains.chain(Tag.of("x"), tag -> stored), ErrorCode.CONFLICT, "circle");
  }

  @Test
  void aChainDeeperThanAThousandIsRefused() {
    var deepest = new MadeUpChain(1000);
    assertThat(Chains.chain(Tag.of("t1000"), deepest::get)).hasSize(1001);
    var deeper = new MadeUpChain(1001);
    assertFails(
        () -> Chains.chain(Tag.of("t1001"), deeper::get), ErrorCode.CONFLICT, "1000 ancestors");
  }

  /** t0, t1 on t0, and so on, all in memory. */
  private static final class MadeUpChain {
    private final List<StoredSnapshot> all = new ArrayList<>();

    MadeUpChain(int depth) {
      for (int i = 0; i <= depth; i++) {
        Manifest plain =
            Samples.imagined("t" + i, 1, Optional.empty(), Optional.empty(), Optional.empty());
        all.add(new StoredSnapshot(Path.of("/t" + i), i == 0 ? plain : onTopOf(plain, i - 1)));
      }
    }

    private Manifest onTopOf(Manifest plain, int parent) {
      Manifest below = all.get(parent).manifest();
      return Samples.withParent(plain, new Manifest.Parent(below.tag(), below.contentHash()));
    }

    StoredSnapshot get(Tag tag) {
      return all.get(Integer.parseInt(tag.value().substring(1)));
    }
  }

  @Test
  void aParentThatIsNotThereCannotBeBegunOn() {
    assertFails(
        () -> store.begin(Tag.of("d"), Optional.of(Tag.of("nobody"))),
        ErrorCode.NOT_FOUND,
        "nobody");
    assertFails(() -> store.begin(A, Optional.of(A)), ErrorCode.CONFLICT, "exists");
    assertFails(() -> store.begin(Tag.of("d"), Optional.of(Tag.of("d"))), ErrorCode.NOT_FOUND, "d");
    assertThat(store.isBeingWritten(Tag.of("d"))).isFalse();
  }

  @Test
  void aChildMayBeBegunWhileItsParentIsStillBeingWritten() throws IOException {
    Tag parent = Tag.of("p");
    Tag child = Tag.of("q");
    try (SnapshotWriter first = store.begin(parent, Optional.of(B));
        SnapshotWriter second = store.begin(child, Optional.of(parent))) {
      first.announce(Samples.pending(parent));
      assertThat(store.dependents(parent)).containsExactly(child);
      assertThat(store.pinnedParents()).containsExactlyInAnyOrder(B, parent);
      Manifest kept = Samples.deltaParts(first, parent, store.get(B).manifest(), temp);
      Manifest early = Samples.deltaParts(second, child, kept, temp);
      assertFails(() -> second.commit(early), ErrorCode.CONFLICT, "q", "p", "being written");
      assertThat(store.exists(child)).isFalse();
      first.commit(kept);
    }
    assertThat(store.pinnedParents()).isEmpty();
    Samples.commitDelta(store, child, parent, temp);
    assertThat(store.ancestors(child)).containsExactly(ROOT, A, B, parent);
  }

  @Test
  void aDeltaIsOnlyCommittedOnTheParentItWasBegunWith() throws IOException {
    try (SnapshotWriter writer = store.begin(Tag.of("d"), Optional.of(A))) {
      Manifest onB = Samples.deltaParts(writer, Tag.of("d"), store.get(B).manifest(), temp);
      assertThatIllegalArgumentException().isThrownBy(() -> writer.commit(onB));
    }
    try (SnapshotWriter writer = store.begin(Tag.of("d"))) {
      Manifest onA = Samples.deltaParts(writer, Tag.of("d"), store.get(A).manifest(), temp);
      assertThatIllegalArgumentException().isThrownBy(() -> writer.commit(onA));
    }
    assertThat(store.exists(Tag.of("d"))).isFalse();
  }

  @Test
  void aDeltaIsNotCommittedOnAParentThatIsAnotherByNow() throws IOException {
    try (SnapshotWriter writer = store.begin(Tag.of("d"), Optional.of(C))) {
      Manifest manifest = Samples.deltaParts(writer, Tag.of("d"), store.get(C).manifest(), temp);
      rewrite(C, store.get(C).manifest().memory().sha256(), "d".repeat(64));
      assertFails(() -> writer.commit(manifest), ErrorCode.CONFLICT, "snapshot d", "snapshot c");
    }
    assertThat(store.exists(Tag.of("d"))).isFalse();
  }

  @Test
  void memoryOfItsOwnMayBeWrittenWhileAParentIsHeld() throws IOException {
    try (SnapshotWriter writer = store.begin(Tag.of("full"), Optional.of(A))) {
      writer.commit(Samples.parts(writer, Tag.of("full"), temp));
    }
    assertThat(store.dependents(A)).containsExactly(B, C);
    assertThat(store.ancestors(Tag.of("full"))).isEmpty();
  }

  @Test
  void theRootDiskOfAParentIsLinkedNotCopied() throws IOException {
    Path parents = store.get(A).rootfsFile();
    try (SnapshotWriter writer = store.begin(Tag.of("d"), Optional.of(A))) {
      Manifest.StateFile disk = writer.rootfs(parents, "cafe");
      assertThat(disk).isEqualTo(store.get(A).manifest().rootfs());
      // The original, the parent's and ours.
      assertThat(Files.getAttribute(parents, "unix:nlink")).isEqualTo(3);
    }
  }

  @Test
  void aParentIsNotRemovedAloneAndEveryDependentIsNamed() throws IOException {
    Samples.commitDelta(store, Tag.of("d"), A, temp);
    assertThatThrownBy(() -> store.removeAlone(A))
        .hasMessage(
            "snapshot a is the parent of b, c and d: remove them first, or use --cascade to remove"
                + " all, or --force to leave them broken.");
    assertThatThrownBy(() -> store.removeAlone(ROOT))
        .hasMessage(
            "snapshot root is the parent of a, on which b, c and d in turn depend: remove them"
                + " first, or use --cascade to remove all, or --force to leave them broken.");
    store.removeAlone(C);
    store.removeAlone(Tag.of("d"));
    assertThatThrownBy(() -> store.removeAlone(A))
        .hasMessage(
            "snapshot a is the parent of b: remove it first, or use --cascade to remove both, or"
                + " --force to leave it broken.");
    Samples.commitDelta(store, C, A, temp);
    Samples.commitDelta(store, Tag.of("d"), A, temp);
    assertThat(store.list()).hasSize(5);
    store.removeAlone(B);
    assertThat(store.exists(B)).isFalse();
  }

  @Test
  void aCascadeRemovesAllThatDependChildrenFirst() throws IOException {
    Samples.commitDelta(store, Tag.of("d"), C, temp);
    Samples.commit(store, Tag.of("other"), temp);
    List<Tag> removed = store.removeWithDependents(A);
    assertThat(removed).containsExactlyInAnyOrder(A, B, C, Tag.of("d"));
    assertThat(removed.getLast()).isEqualTo(A);
    assertThat(removed.indexOf(Tag.of("d"))).isLessThan(removed.indexOf(C));
    assertThat(tags(store.list())).containsExactly(Tag.of("other"), ROOT);
    assertThat(data.resolve("snapshots/.staging")).isEmptyDirectory();
    assertThat(store.removeWithDependents(ROOT)).containsExactly(ROOT);
  }

  @Test
  void forceLeavesDependentsBroken() {
    store.removeForced(A);
    assertThat(tags(store.list())).containsExactly(B, C, ROOT);
    assertFails(() -> store.chain(B), ErrorCode.CONFLICT, "there is none");
    store.removeAlone(B);
  }

  @Test
  void aParentOnWhichAChildIsBeingWrittenStaysInAnyCase() throws IOException {
    try (SnapshotWriter writer = store.begin(Tag.of("w"), Optional.of(C))) {
      assertFails(
          () -> store.removeAlone(C), ErrorCode.CONFLICT, "parent of w (being written): remove it");
      assertFails(
          () -> store.removeForced(C), ErrorCode.CONFLICT, "parent of w, which is being written");
      assertFails(
          () -> store.removeWithDependents(ROOT), ErrorCode.CONFLICT, "c is the parent of w");
      assertThat(store.list()).as("nothing was removed").hasSize(4);
      assertThat(store.dependents(C)).containsExactly(Tag.of("w"));
      writer.commit(Samples.deltaParts(writer, Tag.of("w"), store.get(C).manifest(), temp));
    }
    assertFails(() -> store.removeAlone(C), ErrorCode.CONFLICT, "parent of w: remove it");
    assertThat(store.removeWithDependents(C)).containsExactly(Tag.of("w"), C);
  }

  @Test
  void aWriterThatGivesUpLetsItsParentGo() {
    store.begin(Tag.of("w"), Optional.of(C)).close();
    store.removeAlone(C);
    assertThat(store.exists(C)).isFalse();
  }

  @Test
  void aDamagedSnapshotCanBeRemovedInEveryWay() throws IOException {
    for (Tag each : List.of(A, B, C)) {
      Files.writeString(data.resolve("snapshots/%s/manifest.json".formatted(each)), "{");
    }
    store.removeAlone(A);
    assertThat(store.removeWithDependents(B)).containsExactly(B);
    store.removeForced(C);
    assertThat(store.look().damaged()).isEmpty();
  }
}

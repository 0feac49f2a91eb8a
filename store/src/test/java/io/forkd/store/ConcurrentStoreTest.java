package io.forkd.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many who begin, commit, remove and look at once. */
@Timeout(120)
class ConcurrentStoreTest {
  private static final Tag ROOT = Tag.of("root");

  @TempDir Path temp;
  private Store store;

  @BeforeEach
  void open() throws IOException {
    store = Store.open(temp.resolve("data"));
    Samples.commit(store, ROOT, temp);
  }

  /** Whoever is first wins: a child and its parent, or neither. */
  @Test
  void aParentIsRemovedOrGetsItsChildButNeverBoth() throws Exception {
    for (int round = 0; round < 40; round++) {
      Tag parent = Tag.of("p" + round);
      Tag child = Tag.of("c" + round);
      Samples.commit(store, parent, temp);
      CountDownLatch start = new CountDownLatch(1);
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        Future<Boolean> born =
            threads.submit(
                () -> {
                  start.await();
                  return refusable(() -> Samples.commitDelta(store, child, parent, temp));
                });
        Future<Boolean> gone =
            threads.submit(
                () -> {
                  start.await();
                  return refusable(() -> store.removeAlone(parent));
                });
        start.countDown();
        assertThat(born.get()).isNotEqualTo(gone.get());
        assertThat(store.exists(child)).isEqualTo(born.get());
        assertThat(store.exists(parent)).isNotEqualTo(gone.get());
      }
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  /** Whether it was done; a refusal must be a polite one. */
  private static boolean refusable(Action action) throws Exception {
    try {
      action.run();
      return true;
    } catch (ForkdException e) {
      assertThat(e.code()).as("%s", e).isIn(ErrorCode.CONFLICT, ErrorCode.NOT_FOUND);
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyChainIsWholeAfterAnyInterleaving(long seed) throws Exception {
    List<Future<?>> workers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        Random random = new Random(seed * 100 + i);
        Path mine = Files.createDirectory(temp.resolve("worker" + i));
        workers.add(
            threads.submit(
                () -> {
                  for (int step = 0; step < 30; step++) {
                    act(random, mine);
                  }
                  return null;
                }));
      }
      for (Future<?> each : workers) {
        each.get();
      }
    }
    assertSound(store);
    assertSound(Store.open(temp.resolve("data")));
  }

  private void act(Random random, Path mine) throws Exception {
    Tag one = Tag.of("t" + random.nextInt(10));
    Tag other = random.nextInt(3) == 0 ? ROOT : Tag.of("t" + random.nextInt(10));
    switch (random.nextInt(8)) {
      case 0 -> refusable(() -> store.removeAlone(one));
      case 1 -> refusable(() -> store.removeWithDependents(one));
      case 2 -> refusable(() -> giveUpOn(one, other));
      case 3 -> {
        Listing listing = store.look();
        assertThat(listing.damaged()).isEmpty();
        listing.oldestFirst();
      }
      default -> refusable(() -> Samples.commitDelta(store, one, other, mine));
    }
  }

  private void giveUpOn(Tag tag, Tag parent) {
    try (SnapshotWriter writer = store.begin(tag, Optional.of(parent))) {
      writer.announce(Samples.pending(tag));
    }
  }

  private static void assertSound(Store store) {
    Listing listing = store.look();
    assertThat(listing.damaged()).isEmpty();
    for (StoredSnapshot each : listing.snapshots()) {
      store.chain(each.manifest().tag()).forEach(StoredSnapshot::checkFiles);
    }
    assertThat(listing.pending())
        .allSatisfy(note -> assertThat(note.state()).isEqualTo(Pending.State.FAILED));
    assertThat(store.pinnedParents()).isEmpty();
    assertThat(listing.snapshots()).isNotEmpty();
  }
}

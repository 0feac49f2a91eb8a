package io.forkd.store;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;

/** A process that makes and removes snapshots, saying each step, until it is killed. */
final class Churn {
  private Churn() {}

  /** Takes the data folder, a folder to work in and a seed. */
  public static void main(String[] arguments) throws Exception {
    Store store = Store.open(Path.of(arguments[0]));
    Path temp = Path.of(arguments[1]);
    Random random = new Random(Long.parseLong(arguments[2]));
    Tag root = Tag.of("root");
    if (!store.exists(root)) {
      Samples.commit(store, root, temp);
    }
    while (true) {
      Tag tag = Tag.of("t" + random.nextInt(8));
      Tag parent = random.nextInt(3) == 0 ? root : Tag.of("t" + random.nextInt(8));
      try {
        if (random.nextInt(4) == 0) {
          store.removeWithDependents(tag);
        } else {
          announceAndCommit(store, tag, parent, temp);
        }
      } catch (ForkdException e) {
        // Taken, or not there: on to the next.
      }
      System.out.println(tag);
    }
  }

  private static void announceAndCommit(Store store, Tag tag, Tag parent, Path temp)
      throws Exception {
    try (SnapshotWriter writer = store.begin(tag, Optional.of(parent))) {
      writer.announce(Samples.pending(tag));
      writer.commit(Samples.deltaParts(writer, tag, store.get(parent).manifest(), temp));
    }
  }
}

package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.store.Pending;
import io.forkd.store.SnapshotWriter;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of which sandboxes run. */
@Timeout(30)
class ShelfTest {
  @TempDir Path temp;
  private FakeHost host;
  private Store store;
  private Templates templates;
  private Pools pools;
  private Shelf shelf;
  private final SandboxTable sandboxes = new SandboxTable(new FakeObituaries());

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
    store = Store.open(temp.resolve("data"));
    templates = new Templates(store, TemplatesTest.HERE, new LayerPool());
    pools =
        new Pools(
            tag -> {
              throw new IllegalStateException("no pool is filled here");
            },
            new Foreground(1),
            1,
            new PoolFile(temp.resolve("pools.json")));
    shelf =
        new Shelf(
            store,
            new SnapshotViews(TemplatesTest.HERE, temp),
            templates,
            sandboxes,
            new PausedSandboxes(),
            pools);
  }

  @AfterEach
  void close() throws IOException {
    pools.close();
    templates.close();
    host.close();
  }

  private LiveSandbox running(String birth) {
    LiveSandbox sandbox = host.sandbox();
    sandbox.keep(sandbox.sandboxRecord().with(draft -> draft.birth = birth));
    sandboxes.add(sandbox);
    return sandbox;
  }

  @Test
  void aRefusalNamesTheSandboxesInItsWay() throws IOException {
    StoredSnapshot stored = TemplatesTest.keep(store, FakeHost.TAG, temp);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(running(stored.manifest().birth()).id().value());
    }
    running("of another snapshot of this tag");
    assertThatThrownBy(() -> shelf.remove(FakeHost.TAG, RemoveMode.SAFE))
        .hasMessageContaining(
            "%s. Kill them first (`forkd kill --tag %s`), or use --force.",
            String.join(", ", ids), FakeHost.TAG);
    assertThat(shelf.remove(FakeHost.TAG, RemoveMode.FORCE)).containsExactly(FakeHost.TAG);
  }

  /** Its children were forked from memory, and a crash took the snapshot from them. */
  @Test
  void oneThatWasNeverKeptCanBeForgottenThoughItsChildrenRun() {
    try (SnapshotWriter writer = store.begin(FakeHost.TAG)) {
      writer.announce(
          Pending.writing(
              FakeHost.TAG,
              1,
              1,
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty()));
      writer.failed("the disk is full");
    }
    running("its birth");
    assertThat(shelf.remove(FakeHost.TAG, RemoveMode.SAFE)).containsExactly(FakeHost.TAG);
    assertThat(store.pending()).isEmpty();
  }
}

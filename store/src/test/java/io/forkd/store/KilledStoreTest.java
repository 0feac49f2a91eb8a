package io.forkd.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import io.forkd.linux.Memfd;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store whose process is killed in the midst of it all, again and again. */
@Timeout(300)
class KilledStoreTest {
  @TempDir Path temp;

  @Test
  void whateverItWasDoingWhenItWasKilledOnlyWholeChainsAreFound() throws Exception {
    Path data = temp.resolve("data");
    Path work = Files.createDirectory(temp.resolve("work"));
    Random random = new Random(42);
    for (int round = 0; round < 6; round++) {
      churnAndKill(data, work, round, 1 + random.nextInt(60));
      assertWhole(Store.open(data));
      assertThat(data.resolve("snapshots/.staging")).isEmptyDirectory();
    }
  }

  private static void churnAndKill(Path data, Path work, int seed, int steps) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                Churn.class.getName(),
                data.toString(),
                work.toString(),
                Integer.toString(seed))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader said = process.inputReader()) {
      for (int i = 0; i < steps; i++) {
        assertThat(said.readLine()).as("step %d of %d", i, steps).isNotNull();
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
  }

  private static void assertWhole(Store store) throws IOException {
    Listing listing = store.look();
    assertThat(listing.damaged()).isEmpty();
    assertThat(store.exists(Tag.of("root"))).isTrue();
    for (StoredSnapshot each : listing.snapshots()) {
      Manifest manifest = each.manifest();
      store.chain(manifest.tag()).forEach(StoredSnapshot::checkFiles);
      if (manifest.isDelta()) {
        try (Memfd into = Memfd.create("forkd-test", Samples.MEMORY_BYTES)) {
          DeltaFile.load(each.memoryFile(), Samples.MEMORY_BYTES, manifest.memory().sha256(), into);
        }
      }
    }
    Set<Tag> held = new HashSet<>();
    for (Pending note : listing.pending()) {
      assertThat(note.state()).isEqualTo(Pending.State.FAILED);
      assertThat(store.exists(note.tag())).isFalse();
      held.add(note.tag());
      store.removeAlone(note.tag());
    }
    assertThat(store.pending()).as("after removing %s", held).isEmpty();
  }
}

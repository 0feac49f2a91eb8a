package io.forkd.store;

import static io.forkd.store.Guests.PAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageDigest;
import io.forkd.linux.PageRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers over a base, written as memory of its own. */
@Timeout(120)
class FlatImageTest {
  private static final int GUEST = 2 << 20;

  @TempDir Path temp;
  private Store store;

  @BeforeEach
  void open() {
    store = Store.open(temp.resolve("data"));
  }

  private static PageRange pages(long first, long count) {
    return new PageRange(first * PAGE, count * PAGE);
  }

  /** Writes it, compares it with what it must be, and says what was written. */
  private Manifest.MemoryLayer assertFlat(
      Memfd base, List<SnapshotWriter.Layer> layers, byte[] expected) throws IOException {
    try (SnapshotWriter writer = store.begin(Tag.of("flat"))) {
      Manifest.MemoryLayer memory = writer.flat(base.fd(), layers);
      Path file;
      try (var entries = Files.walk(temp.resolve("data"))) {
        file = entries.filter(path -> path.endsWith("memory.img")).findFirst().orElseThrow();
      }
      assertThat(Files.readAllBytes(file)).isEqualTo(expected);
      assertThat(memory.file()).isEqualTo("memory.img");
      assertThat(memory.logicalBytes()).isEqualTo(expected.length);
      assertThat(memory.sha256()).isEqualTo(Guests.digestOfNonZero(expected));
      try (Fd written = StoredSnapshot.open(file)) {
        assertThat(memory.sha256()).isEqualTo(PageDigest.of(written));
      }
      return memory;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void ofAnyLayersTheTopmostPageWins(long seed) throws IOException {
    Random random = new Random(seed);
    byte[] expected = new byte[GUEST];
    Guests.randomPages(random, expected, Guests.randomRanges(random, GUEST / PAGE, 40));
    List<Memfd> opened = new ArrayList<>(List.of(Guests.memfd(expected)));
    List<SnapshotWriter.Layer> layers = new ArrayList<>();
    try {
      for (int i = random.nextInt(6); i > 0; i--) {
        List<PageRange> ranges = Guests.randomRanges(random, GUEST / PAGE, 1 << random.nextInt(10));
        byte[] memory = new byte[GUEST];
        // Pages outside the ranges hold something too: it must not matter.
        random.nextBytes(memory);
        Guests.randomPages(random, memory, ranges);
        for (PageRange range : ranges) {
          System.arraycopy(
              memory, (int) range.offset(), expected, (int) range.offset(), (int) range.length());
        }
        opened.add(Guests.memfd(memory));
        layers.add(new SnapshotWriter.Layer(opened.getLast().fd(), ranges));
      }
      assertFlat(opened.getFirst(), layers, expected);
    } finally {
      opened.forEach(Memfd::close);
    }
  }

  @Test
  void pagesThatBecameZeroTakeNoRoom() throws IOException {
    byte[] full = new byte[GUEST];
    Arrays.fill(full, (byte) 3);
    try (Memfd base = Guests.memfd(full);
        Memfd zeros = Memfd.create("forkd-test", GUEST)) {
      var layer = new SnapshotWriter.Layer(zeros.fd(), List.of(pages(1, GUEST / PAGE - 1)));
      byte[] expected = new byte[GUEST];
      Arrays.fill(expected, 0, PAGE, (byte) 3);
      assertThat(assertFlat(base, List.of(layer), expected).physicalBytes())
          .isBetween((long) PAGE, 16L * PAGE);
    }
  }

  @Test
  void withoutLayersItIsTheBaseItself() throws IOException {
    byte[] memory = new byte[GUEST];
    Guests.randomPages(new Random(3), memory, List.of(pages(5, 300)));
    try (Memfd base = Guests.memfd(memory);
        SnapshotWriter writer = store.begin(Tag.of("same"))) {
      Manifest.MemoryLayer plain = writer.memory(base.fd());
      assertThat(assertFlat(base, List.of(), memory)).isEqualTo(plain);
    }
  }

  @Test
  void anEmptyBaseAndAnEmptyLayerMakeEmptyMemory() throws IOException {
    try (Memfd base = Memfd.create("forkd-test", GUEST)) {
      var layer = new SnapshotWriter.Layer(base.fd(), List.of());
      assertThat(assertFlat(base, List.of(layer, layer), new byte[GUEST]).physicalBytes()).isZero();
    }
  }

  @Test
  void aLayerThatReachesBeyondTheBaseIsNotWritten() {
    try (Memfd base = Memfd.create("forkd-test", GUEST);
        SnapshotWriter writer = store.begin(Tag.of("flat"))) {
      var layer = new SnapshotWriter.Layer(base.fd(), List.of(new PageRange(GUEST, PAGE)));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.flat(base.fd(), List.of(layer)))
          .withMessageContaining("not a layer");
    }
  }

  @Test
  void aDeltaReadBackAndLaidOverItsParentIsTheGuestAsItWas() throws IOException {
    Random random = new Random(11);
    byte[] before = new byte[GUEST];
    Guests.randomPages(random, before, Guests.randomRanges(random, GUEST / PAGE, 30));
    byte[] after = before.clone();
    List<PageRange> dirty = Guests.randomRanges(random, GUEST / PAGE, 10);
    Guests.randomPages(random, after, dirty);
    try (Memfd base = Guests.memfd(before);
        Memfd guest = Guests.memfd(after);
        Memfd layer = Memfd.create("forkd-test", GUEST);
        SnapshotWriter writer = store.begin(Tag.of("delta"))) {
      Manifest.MemoryLayer memory = writer.delta(guest.fd(), dirty, GUEST);
      Path file;
      try (var entries = Files.walk(temp.resolve("data"))) {
        file = entries.filter(path -> path.endsWith("memory.delta")).findFirst().orElseThrow();
      }
      assertThat(memory.physicalBytes()).isEqualTo(Files.size(file));
      assertThat(memory.logicalBytes()).isEqualTo(GUEST);
      List<PageRange> ranges = DeltaFile.load(file, GUEST, memory.sha256(), layer);
      layer.seal();
      assertFlat(base, List.of(new SnapshotWriter.Layer(layer.fd(), ranges)), after);
      assertThat(FileIo.size(layer.fd())).isEqualTo(GUEST);
    }
  }
}

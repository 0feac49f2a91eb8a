package io.forkd.store;

import static io.forkd.store.Guests.PAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.FileStatus;
import io.forkd.linux.HostFiles;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageDigest;
import io.forkd.linux.PageRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class DeltaFileTest {
  private static final int GUEST = 4 << 20;

  @TempDir Path temp;
  private Path file;

  @BeforeEach
  void name() {
    file = temp.resolve("memory.delta");
  }

  private String write(Memfd memory, List<PageRange> ranges) {
    try (Fd target = HostFiles.create(file, 0600)) {
      return DeltaFile.write(target, memory.fd(), ranges, memory.size());
    }
  }

  private static PageRange pages(long first, long count) {
    return new PageRange(first * PAGE, count * PAGE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void whatIsReadIsWhatWasWrittenForAnyRanges(long seed) throws IOException {
    Random random = new Random(seed);
    List<PageRange> ranges = Guests.randomRanges(random, GUEST / PAGE, 1 << random.nextInt(11));
    byte[] inside = new byte[GUEST];
    Guests.randomPages(random, inside, ranges);
    byte[] withMore = inside.clone();
    noiseOutside(random, withMore, ranges);
    try (Memfd source = Guests.memfd(withMore);
        Memfd target = Memfd.create("forkd-test", GUEST)) {
      String sha256 = write(source, ranges);
      assertThat(sha256).isEqualTo(Guests.digestOfRanges(inside, ranges));
      assertThat(DeltaFile.ranges(file, GUEST)).isEqualTo(ranges);
      assertThat(DeltaFile.load(file, GUEST, sha256, target)).isEqualTo(ranges);
      assertThat(Guests.bytes(target)).isEqualTo(inside);
    }
    long pageBytes = ranges.stream().mapToLong(PageRange::length).sum();
    long table = (32 + 16L * ranges.size() + PAGE - 1) / PAGE * PAGE;
    assertThat(Files.size(file)).isEqualTo(table + pageBytes);
  }

  /** What lies between the ranges is not part of a layer. */
  private static void noiseOutside(Random random, byte[] memory, List<PageRange> ranges) {
    long end = 0;
    for (PageRange range : ranges) {
      for (long at = end; at < range.offset(); at += PAGE) {
        memory[(int) at + random.nextInt(PAGE)] = 9;
      }
      end = range.end();
    }
  }

  @Test
  void theLayoutIsTheOneThatIsDocumented() throws IOException {
    try (Memfd memory = Memfd.create("forkd-test", GUEST)) {
      Samples.put(memory, 2, (byte) 1);
      Samples.put(memory, 9, (byte) 2);
      write(memory, List.of(pages(2, 1), pages(8, 2)));
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(bytes.limit()).isEqualTo(4 * PAGE);
    byte[] magic = new byte[8];
    bytes.get(magic);
    assertThat(magic).asString().isEqualTo("FKDDELTA");
    assertThat(List.of(bytes.getInt(), bytes.getInt())).containsExactly(1, PAGE);
    List<Long> numbers = new ArrayList<>();
    while (bytes.position() < PAGE) {
      numbers.add(bytes.getLong());
    }
    assertThat(numbers).startsWith((long) GUEST, 2L, 2L * PAGE, (long) PAGE, 8L * PAGE, 2L * PAGE);
    assertThat(numbers.subList(6, numbers.size())).containsOnly(0L);
    assertThat(bytes.get(PAGE + 17)).isEqualTo((byte) 1);
    assertThat(bytes.get(3 * PAGE + 17)).isEqualTo((byte) 2);
  }

  @Test
  void anEmptyLayerIsALayer() throws IOException {
    try (Memfd memory = Samples.memory();
        Memfd target = Memfd.create("forkd-test", memory.size())) {
      String sha256 = write(memory, List.of());
      assertThat(DeltaFile.load(file, memory.size(), sha256, target)).isEmpty();
      assertThat(FileStatus.of(target.fd()).allocatedBytes()).isZero();
    }
    assertThat(Files.size(file)).isEqualTo(PAGE);
  }

  @Test
  void allOfMemoryCanBeALayer() {
    byte[] memory = new byte[GUEST];
    List<PageRange> all = List.of(new PageRange(0, GUEST));
    Guests.randomPages(new Random(5), memory, all);
    try (Memfd source = Guests.memfd(memory);
        Memfd target = Memfd.create("forkd-test", GUEST)) {
      DeltaFile.load(file, GUEST, write(source, all), target);
      assertThat(Guests.bytes(target)).isEqualTo(memory);
    }
  }

  @Test
  void pagesThatBecameZeroCountButTakeNoMemory() {
    try (Memfd memory = Memfd.create("forkd-test", GUEST);
        Memfd target = Memfd.create("forkd-test", GUEST)) {
      Samples.put(memory, 600, (byte) 7);
      List<PageRange> ranges = List.of(pages(0, 500), pages(600, 100));
      assertThat(DeltaFile.load(file, GUEST, write(memory, ranges), target)).isEqualTo(ranges);
      assertThat(FileStatus.of(target.fd()).allocatedBytes()).isLessThan(100L * PAGE);
    }
  }

  @Test
  void aZeroPageMoreIsAnotherDigest() throws IOException {
    try (Memfd memory = Memfd.create("forkd-test", GUEST)) {
      String one = write(memory, List.of(pages(3, 1)));
      Files.delete(file);
      String two = write(memory, List.of(pages(3, 2)));
      Files.delete(file);
      assertThat(two).isNotEqualTo(one);
      assertThat(write(memory, List.of(pages(4, 1)))).isNotIn(one, two);
    }
  }

  @Test
  void aTableOfAHundredThousandRangesIsReadInPieces() {
    long guest = 4L << 30;
    List<PageRange> ranges = new ArrayList<>();
    for (long page = 0; page < 100_000; page++) {
      ranges.add(pages(page * 10, 1 + page % 3));
    }
    long bytes = ranges.stream().mapToLong(PageRange::length).sum();
    try (Fd target = HostFiles.create(file, 0600)) {
      DeltaTable.write(target, ranges, guest);
      assertThat(FileIo.size(target)).isEqualTo(DeltaTable.pagesAt(ranges.size()));
      FileIo.truncate(target, FileIo.size(target) + bytes); // pages of zeros
    }
    assertThat(DeltaFile.ranges(file, guest)).isEqualTo(ranges);
  }

  @Test
  void rangesFarApartInAGuestOfGigabytesAreReadToTheirPlaces() {
    long guest = 6L << 30;
    List<PageRange> ranges =
        List.of(pages(0, 1), pages(524_287, 300), pages(1_048_575, 2), pages(1_572_863, 1));
    try (Memfd memory = Memfd.create("forkd-test", guest);
        Memfd target = Memfd.create("forkd-test", guest)) {
      for (long page : new long[] {0, 524_288, 1_048_576, 1_572_863}) {
        Samples.put(memory, page, (byte) (1 + page));
      }
      assertThat(DeltaFile.load(file, guest, write(memory, ranges), target)).isEqualTo(ranges);
      assertThat(PageDigest.of(target.fd())).isEqualTo(PageDigest.of(memory.fd()));
    }
  }

  static List<List<PageRange>> notLayers() {
    return List.of(
        List.of(new PageRange(1, PAGE)),
        List.of(new PageRange(0, PAGE - 1)),
        List.of(new PageRange(0, 0)),
        List.of(new PageRange(-PAGE, PAGE)),
        List.of(new PageRange(0, -PAGE)),
        List.of(new PageRange(GUEST, PAGE)),
        List.of(new PageRange(GUEST - PAGE, 2 * PAGE)),
        List.of(new PageRange(Long.MAX_VALUE - PAGE + 1, PAGE)),
        List.of(new PageRange(PAGE, Long.MAX_VALUE - PAGE + 1)),
        List.of(pages(4, 2), pages(5, 1)),
        List.of(pages(4, 1), pages(4, 1)),
        List.of(pages(4, 1), pages(2, 1)));
  }

  @ParameterizedTest
  @MethodSource("notLayers")
  void rangesThatMakeNoLayerAreNotWritten(List<PageRange> ranges) throws IOException {
    try (Memfd memory = Memfd.create("forkd-test", GUEST)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> write(memory, ranges))
          .withMessageContaining("not a layer");
    }
    assertThat(Files.size(file)).isZero();
  }

  @Test
  void aLayerIsReadIntoEmptyMemoryOfItsSizeOnly() {
    try (Memfd memory = Samples.memory();
        Memfd small = Memfd.create("forkd-test", memory.size() - PAGE)) {
      String sha256 = write(memory, List.of(pages(0, 1)));
      for (Memfd wrong : List.of(memory, small)) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> DeltaFile.load(file, memory.size(), sha256, wrong))
            .withMessageContaining("empty memory");
      }
    }
  }
}

package io.forkd.store;

import static io.forkd.store.Guests.PAGE;
import static io.forkd.store.StoreTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.Memfd;
import io.forkd.linux.OpenFlag;
import io.forkd.linux.PageRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Delta files that are not what was written: every one is refused by name, none does harm. */
@Timeout(120)
class ForgedDeltaTest {
  private static final int GUEST = 1 << 20;
  private static final List<PageRange> RANGES =
      List.of(
          new PageRange(2 * PAGE, PAGE),
          new PageRange(10 * PAGE, 3 * PAGE),
          new PageRange(13 * PAGE, PAGE),
          new PageRange(255 * PAGE, PAGE));

  @TempDir Path temp;
  private Path file;
  private byte[] genuine = {};
  private String sha256 = "";

  @BeforeEach
  void writeGenuine() throws IOException {
    file = Files.createDirectory(temp.resolve("my-tag")).resolve("memory.delta");
    byte[] memory = new byte[GUEST];
    Guests.randomPages(new Random(1), memory, RANGES);
    try (Memfd source = Guests.memfd(memory);
        Fd target = HostFiles.create(file, 0600)) {
      sha256 = DeltaFile.write(target, source.fd(), RANGES, GUEST);
    }
    genuine = Files.readAllBytes(file);
    load();
  }

  private List<PageRange> load() {
    try (Memfd into = Memfd.create("forkd-test", GUEST)) {
      return DeltaFile.load(file, GUEST, sha256, into);
    }
  }

  private void assertRefused(String... said) {
    assertFails(
        this::load,
        ErrorCode.CONFLICT,
        "snapshot my-tag cannot be restored",
        file.toString(),
        "forkd rmi my-tag",
        "make it anew");
    if (said.length > 0) {
      assertFails(this::load, ErrorCode.CONFLICT, said);
    }
  }

  /** Writes the file anew with some changes; tells whether there are any. */
  private boolean forge(Consumer<ByteBuffer> change) throws IOException {
    byte[] content = genuine.clone();
    change.accept(ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN));
    Files.write(file, content);
    return !Arrays.equals(content, genuine);
  }

  @Test
  void anySingleChangedByteIsNoticed() throws IOException {
    for (int at = 0; at < genuine.length; at += at < 128 ? 1 : 61) {
      for (int bit : new int[] {1, 0x80}) {
        int place = at;
        forge(content -> content.put(place, (byte) (content.get(place) ^ bit)));
        assertRefused();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void anyGarbageInHeaderAndTableIsRefused(long seed) throws IOException {
    Random random = new Random(seed);
    long[] tempting = {
      0,
      1,
      -1,
      16,
      PAGE,
      -PAGE,
      GUEST,
      GUEST - PAGE,
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      1L << 32,
      Long.MAX_VALUE - PAGE + 1,
      5,
      genuine.length,
      Integer.MAX_VALUE,
      1L << 44
    };
    int table = 32 + 16 * RANGES.size();
    for (int round = 0; round < 300; round++) {
      boolean forged =
          forge(
              content -> {
                for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                  // Beyond the magic, or nothing else would ever be looked at.
                  int at = 8 + 8 * random.nextInt(table / 8 - 1);
                  content.putLong(at, tempting[random.nextInt(tempting.length)]);
                }
              });
      if (!forged) {
        continue;
      }
      assertRefused();
      try {
        long bytes = DeltaFile.ranges(file, GUEST).stream().mapToLong(PageRange::length).sum();
        assertThat(bytes).isEqualTo(RANGES.stream().mapToLong(PageRange::length).sum());
      } catch (ForkdException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  @Test
  void aFileThatIsCutOffAnywhereIsRefused() throws IOException {
    for (int length = 0; length < genuine.length; length += length < 200 ? 1 : 509) {
      Files.write(file, Arrays.copyOf(genuine, length));
      assertRefused();
    }
  }

  @Test
  void aFileWithMoreThanItsPagesIsRefused() throws IOException {
    for (int more : new int[] {1, PAGE, 10 * PAGE}) {
      Files.write(file, Arrays.copyOf(genuine, genuine.length + more));
      assertRefused(
          "it has %d bytes instead of %d".formatted(genuine.length + more, genuine.length));
    }
  }

  @Test
  void aHugeFileThatPromisesCountlessRangesIsRefusedAtOnce() throws IOException {
    forge(content -> content.putLong(24, 1L << 30));
    try (Fd fd = HostFiles.open(file, OpenFlag.READ_WRITE)) {
      FileIo.truncate(fd, 6L << 40);
    }
    assertRefused("it lists a range of 0 bytes at 0");
  }

  @Test
  void moreRangesThanTheFileCanHoldAreRefused() throws IOException {
    for (long count : new long[] {5, 1L << 59, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
      forge(content -> content.putLong(24, count));
      assertRefused();
    }
  }

  @Test
  void aLayerOfAnotherGuestIsRefusedWithBothSizes() {
    assertFails(
        () -> DeltaFile.ranges(file, 2 * GUEST),
        ErrorCode.CONFLICT,
        "%d bytes of memory instead of %d".formatted(GUEST, 2 * GUEST));
  }

  @Test
  void anotherLayerThanExpectedIsRefusedWithBothHashes() {
    String found = sha256;
    sha256 = "0123456789abcdef";
    assertRefused("hash %.12s, expected 0123456789ab".formatted(found));
  }

  @Test
  void whatIsNoDeltaFileIsSaidToBeNone() throws IOException {
    Files.writeString(file, "#!/bin/sh\n".repeat(1000));
    assertRefused("it is no delta file");
    forge(content -> content.putInt(8, 2));
    assertRefused("it has version 2 and pages of 4096 bytes");
  }

  @Test
  void aMissingFileALinkAFolderAndAPipeAreRefused() throws Exception {
    Path elsewhere = Files.move(file, temp.resolve("elsewhere"));
    assertRefused("ENOENT");
    Files.createSymbolicLink(file, elsewhere);
    assertRefused("ELOOP");
    Files.delete(file);
    Files.createDirectory(file);
    assertRefused("it is a DIRECTORY");
    Files.delete(file);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    assertRefused("it is a FIFO");
  }
}

package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparseCopyTest {
  private static final int PAGE = PageScan.PAGE;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1, (3 << 20) + 777})
  void copiesEveryByteOfFilesOfAnySize(long size) throws Exception {
    byte[] content = randomPages(size, 3);
    Path source = Files.write(folder.resolve("source"), content);
    try (Fd from = HostFiles.open(source, OpenFlag.READ);
        Fd to = HostFiles.create(folder.resolve("target"), 0600)) {
      SparseCopy.Result result = SparseCopy.copy(from, to);
      assertThat(result.size()).isEqualTo(size);
      assertThat(Files.readAllBytes(folder.resolve("target"))).isEqualTo(content);
      assertThat(PageDigest.of(to)).isEqualTo(PageDigest.of(from)).isEqualTo(reference(content));
    }
  }

  @Test
  void writtenZerosBecomeHoles() throws Exception {
    byte[] content = new byte[64 * PAGE];
    content[10 * PAGE + 5] = 1;
    content[64 * PAGE - 1] = 2;
    try (Fd from = HostFiles.open(Files.write(folder.resolve("s"), content), OpenFlag.READ);
        Fd to = HostFiles.create(folder.resolve("t"), 0600)) {
      assertThat(SparseCopy.copy(from, to).pagesWritten()).isEqualTo(2);
      FileIo.sync(to);
      assertThat(FileStatus.of(to).allocatedBytes()).isLessThan(8L * PAGE);
    }
  }

  @Test
  void theVisitorSeesEachPageWithDataOnceInOrder() {
    try (Memfd from = Memfd.create("from", 1L << 32);
        Memfd to = Memfd.create("to", 0)) {
      List<Long> pages = List.of(0L, 1L, 255L, 256L, 70_000L, (1L << 20) - 1);
      for (long page : pages) {
        FileIo.pwrite(from.fd(), ByteBuffer.wrap(new byte[] {7}), page * PAGE + 9);
      }
      List<Long> seen = new ArrayList<>();
      PageDigest digest = new PageDigest();
      var result =
          SparseCopy.copy(
              from.fd(),
              to.fd(),
              (index, bytes) -> {
                seen.add(index);
                assertThat(bytes.remaining()).isEqualTo(PAGE);
                assertThat(bytes.isReadOnly()).isTrue();
                digest.page(index, bytes);
              });
      assertThat(seen).isEqualTo(pages);
      assertThat(result).isEqualTo(new SparseCopy.Result(1L << 32, pages.size()));
      assertThat(digest.finish())
          .isEqualTo(PageDigest.of(from.fd()))
          .isEqualTo(PageDigest.of(to.fd()));
      assertThat(FileStatus.of(to.fd()).allocatedBytes()).isEqualTo((long) pages.size() * PAGE);
    }
  }

  @Test
  void theDigestDependsOnWhereAPageIs() {
    try (Memfd one = Memfd.create("one", 10 * PAGE);
        Memfd two = Memfd.create("two", 10 * PAGE)) {
      FileIo.pwrite(one.fd(), ByteBuffer.wrap(new byte[] {1}), 0);
      FileIo.pwrite(two.fd(), ByteBuffer.wrap(new byte[] {1}), PAGE);
      assertThat(PageDigest.of(one.fd())).isNotEqualTo(PageDigest.of(two.fd()));
    }
  }

  @Test
  void refusesATargetThatHoldsData() throws Exception {
    Path target = Files.write(folder.resolve("t"), new byte[100_000]);
    try (Memfd from = Memfd.create("from", PAGE);
        Fd to = HostFiles.open(target, OpenFlag.READ_WRITE)) {
      FileIo.sync(to);
      assertThatThrownBy(() -> SparseCopy.copy(from.fd(), to))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** About one page in {@code density} of a random file holds data, the others are zero. */
  static byte[] randomPages(long size, int density) {
    Random random = new Random(size);
    byte[] content = new byte[(int) size];
    for (int at = 0; at < content.length; at += PAGE) {
      if (random.nextInt(density) == 0) {
        int end = Math.min(at + PAGE, content.length);
        content[at + random.nextInt(end - at)] = (byte) (1 + random.nextInt(200));
      }
    }
    return content;
  }

  /** The definition of the digest, written as plainly as possible. */
  static String reference(byte[] content) throws Exception {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    for (int at = 0; at < content.length; at += PAGE) {
      byte[] page = Arrays.copyOfRange(content, at, at + PAGE);
      if (!Arrays.equals(page, new byte[PAGE])) {
        sha256.update(ByteBuffer.allocate(8).putLong(at / PAGE).array());
        sha256.update(page);
      }
    }
    return HexFormat.of().formatHex(sha256.digest());
  }
}

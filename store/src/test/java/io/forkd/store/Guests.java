package io.forkd.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageRange;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;

/** Made-up guest memory, and what it must come to, worked out the slow and obvious way. */
final class Guests {
  static final int PAGE = 4096;

  private Guests() {}

  /** Ranges of whole pages, ascending and disjoint; some touch each other. */
  static List<PageRange> randomRanges(RandomGenerator random, int pages, int longest) {
    List<PageRange> ranges = new ArrayList<>();
    int at = random.nextInt(Math.max(1, pages / 8));
    while (at < pages) {
      int length = Math.min(pages - at, 1 + random.nextInt(longest));
      ranges.add(new PageRange((long) at * PAGE, (long) length * PAGE));
      at += length + random.nextInt(longest);
    }
    return ranges;
  }

  /** Fills the pages: a third with noise, a third with one byte, the rest stay zero. */
  static void randomPages(RandomGenerator random, byte[] memory, List<PageRange> ranges) {
    for (PageRange range : ranges) {
      for (int at = (int) range.offset(); at < range.end(); at += PAGE) {
        byte[] page = new byte[PAGE];
        switch (random.nextInt(3)) {
          case 0 -> random.nextBytes(page);
          case 1 -> page[random.nextInt(PAGE)] = (byte) (1 + random.nextInt(255));
          default -> {}
        }
        System.arraycopy(page, 0, memory, at, PAGE);
      }
    }
  }

  /** A memfd with these bytes, sparse. */
  static Memfd memfd(byte[] memory) {
    Memfd memfd = Memfd.create("forkd-test", memory.length);
    for (int at = 0; at < memory.length; at += PAGE) {
      if (!isZero(memory, at)) {
        FileIo.pwrite(memfd.fd(), ByteBuffer.wrap(memory, at, PAGE), at);
      }
    }
    return memfd;
  }

  static byte[] bytes(Memfd memfd) {
    return FileIo.read(memfd.fd(), 0, (int) memfd.size());
  }

  static boolean isZero(byte[] memory, int offset) {
    for (int i = offset; i < offset + PAGE; i++) {
      if (memory[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** The digest of all pages in the ranges. */
  static String digestOfRanges(byte[] memory, List<PageRange> ranges) {
    MessageDigest sha256 = sha256();
    for (PageRange range : ranges) {
      for (int at = (int) range.offset(); at < range.end(); at += PAGE) {
        addPage(sha256, memory, at);
      }
    }
    return HexFormat.of().formatHex(sha256.digest());
  }

  /** The digest of all pages that are not zero. */
  static String digestOfNonZero(byte[] memory) {
    MessageDigest sha256 = sha256();
    for (int at = 0; at < memory.length; at += PAGE) {
      if (!isZero(memory, at)) {
        addPage(sha256, memory, at);
      }
    }
    return HexFormat.of().formatHex(sha256.digest());
  }

  private static void addPage(MessageDigest sha256, byte[] memory, int at) {
    sha256.update(ByteBuffer.allocate(8).putLong(0, at / PAGE));
    sha256.update(memory, at, PAGE);
  }

  static String sha256(String text) {
    return HexFormat.of().formatHex(sha256().digest(text.getBytes(US_ASCII)));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}

package io.forkd.linux;

import io.forkd.base.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * SHA-256 over (page index as 8 bytes big-endian, page bytes) of each page that is not all zero, in
 * ascending order: the same for a file and any sparser or denser copy of it. Trailing zeros do not
 * count, so whoever compares digests compares sizes too.
 */
public final class PageDigest implements PageVisitor {
  private final MessageDigest sha256 = Sha256.begin();
  private final byte[] index = new byte[Long.BYTES];

  /** The digest of a whole file, in lower-case hexadecimal. */
  public static String of(Fd file) {
    PageDigest digest = new PageDigest();
    PageScan.visit(file, digest);
    return digest.finish();
  }

  @Override
  public void page(long number, ByteBuffer page) {
    ByteBuffer.wrap(index).putLong(number);
    sha256.update(index);
    sha256.update(page);
  }

  /** The digest of the pages so far, in lower-case hexadecimal; this then starts anew. */
  public String finish() {
    return HexFormat.of().formatHex(sha256.digest());
  }
}

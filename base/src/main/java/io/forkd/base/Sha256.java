package io.forkd.base;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every JDK has. */
public final class Sha256 {
  private Sha256() {}

  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every JDK has SHA-256", e);
    }
  }

  /** Of a text, in lower-case hexadecimal. */
  public static String hex(String text) {
    return HexFormat.of().formatHex(begin().digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}

package io.forkd.image;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * A cpio archive in the "newc" form that the kernel unpacks as its first root. All times are zero
 * and inodes are counted, so that equal content gives equal bytes.
 */
final class Cpio {
  private static final int FOLDER = 0040000;
  private static final int FILE = 0100000;
  private static final int CHARACTER_DEVICE = 0020000;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Set<String> folders = new HashSet<>();
  private int inode;

  /** A folder and those above it, unless they are there. */
  Cpio folder(String path) {
    int slash = path.lastIndexOf('/');
    if (slash > 0) {
      folder(path.substring(0, slash));
    }
    if (folders.add(path)) {
      entry(path, FOLDER | 0755, 2, new byte[0], 0, 0);
    }
    return this;
  }

  Cpio file(String path, int permissions, byte[] content) {
    int slash = path.lastIndexOf('/');
    if (slash > 0) {
      folder(path.substring(0, slash));
    }
    entry(path, FILE | permissions, 1, content, 0, 0);
    return this;
  }

  Cpio device(String path, int permissions, int major, int minor) {
    entry(path, CHARACTER_DEVICE | permissions, 1, new byte[0], major, minor);
    return this;
  }

  byte[] finish() {
    entry("TRAILER!!!", 0, 1, new byte[0], 0, 0);
    return bytes.toByteArray();
  }

  private void entry(String path, int mode, int links, byte[] content, int major, int minor) {
    byte[] name = path.getBytes(StandardCharsets.UTF_8);
    int number = mode == 0 ? 0 : ++inode;
    int[] fields = {
      number, mode, 0, 0, links, 0, content.length, 0, 0, major, minor, name.length + 1, 0
    };
    StringBuilder header = new StringBuilder("070701");
    for (int field : fields) {
      header.append("%08x".formatted(field));
    }
    bytes.writeBytes(header.toString().getBytes(StandardCharsets.US_ASCII));
    bytes.writeBytes(name);
    bytes.write(0);
    pad();
    bytes.writeBytes(content);
    pad();
  }

  private void pad() {
    bytes.writeBytes(new byte[-bytes.size() & 3]);
  }
}

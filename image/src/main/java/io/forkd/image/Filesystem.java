package io.forkd.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A filesystem that guests can have as their root, told by the magic number in its superblock. */
enum Filesystem {
  EXT4(1024 + 56, 2, 0xef53L),
  EROFS(1024, 4, 0xe0f5e1e2L),
  SQUASHFS(0, 4, 0x73717368L);

  private static final int SUPERBLOCKS_END = 2048;

  private final int offset;
  private final int width;
  private final long magic;

  Filesystem(int offset, int width, long magic) {
    this.offset = offset;
    this.width = width;
    this.magic = magic;
  }

  static Optional<Filesystem> of(Path image) throws IOException {
    try (InputStream input = Files.newInputStream(image)) {
      return of(input.readNBytes(SUPERBLOCKS_END));
    }
  }

  static Optional<Filesystem> of(byte[] start) {
    return Arrays.stream(values()).filter(each -> each.matches(start)).findFirst();
  }

  private boolean matches(byte[] start) {
    if (start.length < offset + width) {
      return false;
    }
    ByteBuffer buffer = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN);
    long found =
        width == 2
            ? Short.toUnsignedLong(buffer.getShort(offset))
            : Integer.toUnsignedLong(buffer.getInt(offset));
    return found == magic;
  }

  /** As mount and the kernel's modules name it. */
  String mountType() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What the kernel says about an open file.
 *
 * @param permissions the lower twelve mode bits
 * @param allocatedBytes what it occupies; less than {@code size} when it has holes
 */
public record FileStatus(
    Type type, int permissions, int uid, int gid, long inode, long size, long allocatedBytes) {
  /** The kinds of file. */
  public enum Type {
    FILE,
    DIRECTORY,
    SYMBOLIC_LINK,
    SOCKET,
    FIFO,
    CHARACTER_DEVICE,
    BLOCK_DEVICE,
    OTHER
  }

  /** struct statx of linux/stat.h; the same on every architecture. */
  static final int STRUCT_SIZE = 256;

  static final int UID_OFFSET = 20;
  static final int GID_OFFSET = 24;
  static final int MODE_OFFSET = 28;
  static final int INODE_OFFSET = 32;
  static final int SIZE_OFFSET = 40;
  static final int BLOCKS_OFFSET = 48;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_BASIC_STATS = 0x7ff;
  private static final int BLOCK = 512;

  public static FileStatus of(Fd fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statx = arena.allocate(STRUCT_SIZE, Long.BYTES);
      FileCalls.statx(fd.number(), "", AT_EMPTY_PATH, STATX_BASIC_STATS, statx);
      int mode = Short.toUnsignedInt(statx.get(JAVA_SHORT, MODE_OFFSET));
      return new FileStatus(
          type(mode >> 12),
          mode & 07777,
          statx.get(JAVA_INT, UID_OFFSET),
          statx.get(JAVA_INT, GID_OFFSET),
          statx.get(JAVA_LONG, INODE_OFFSET),
          statx.get(JAVA_LONG, SIZE_OFFSET),
          statx.get(JAVA_LONG, BLOCKS_OFFSET) * BLOCK);
    }
  }

  private static Type type(int bits) {
    return switch (bits) {
      case 1 -> Type.FIFO;
      case 2 -> Type.CHARACTER_DEVICE;
      case 4 -> Type.DIRECTORY;
      case 6 -> Type.BLOCK_DEVICE;
      case 8 -> Type.FILE;
      case 10 -> Type.SYMBOLIC_LINK;
      case 12 -> Type.SOCKET;
      default -> Type.OTHER;
    };
  }
}

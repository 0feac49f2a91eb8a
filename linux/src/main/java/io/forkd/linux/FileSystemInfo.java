package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;

/**
 * The file system a path lies on.
 *
 * @param type its name, such as {@code ext4}; the magic number in hexadecimal when not known
 * @param availableBytes what an ordinary user may still write
 */
public record FileSystemInfo(
    String type, long totalBytes, long freeBytes, long availableBytes, long freeInodes) {
  /** struct statfs of asm-generic/statfs.h on 64-bit machines. */
  static final int STRUCT_SIZE = 120;

  static final int BLOCK_SIZE_OFFSET = 8;
  static final int BLOCKS_OFFSET = 16;
  static final int FREE_OFFSET = 24;
  static final int AVAILABLE_OFFSET = 32;
  static final int FREE_INODES_OFFSET = 48;

  private static final Map<Long, String> NAMES =
      Map.ofEntries(
          Map.entry(0xef53L, "ext4"),
          Map.entry(0x58465342L, "xfs"),
          Map.entry(0x9123683eL, "btrfs"),
          Map.entry(0x01021994L, "tmpfs"),
          Map.entry(0x794c7630L, "overlay"),
          Map.entry(0x2fc12fc1L, "zfs"),
          Map.entry(0xf2f52010L, "f2fs"),
          Map.entry(0xca451a4eL, "bcachefs"),
          Map.entry(0x6969L, "nfs"),
          Map.entry(0x01021997L, "9p"),
          Map.entry(0x65735546L, "fuse"),
          Map.entry(0x73717368L, "squashfs"),
          Map.entry(0xe0f5e1e2L, "erofs"),
          Map.entry(0x958458f6L, "hugetlbfs"),
          Map.entry(0x63677270L, "cgroup2"),
          Map.entry(0x27e0ebL, "cgroup"),
          Map.entry(0x6e736673L, "nsfs"),
          Map.entry(0x9fa0L, "proc"),
          Map.entry(0x62656572L, "sysfs"));

  public static FileSystemInfo of(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statfs = arena.allocate(STRUCT_SIZE, Long.BYTES);
      FileCalls.statfs(path.toString(), statfs);
      long block = statfs.get(JAVA_LONG, BLOCK_SIZE_OFFSET);
      return new FileSystemInfo(
          name(statfs.get(JAVA_LONG, 0)),
          statfs.get(JAVA_LONG, BLOCKS_OFFSET) * block,
          statfs.get(JAVA_LONG, FREE_OFFSET) * block,
          statfs.get(JAVA_LONG, AVAILABLE_OFFSET) * block,
          statfs.get(JAVA_LONG, FREE_INODES_OFFSET));
    }
  }

  private static String name(long magic) {
    long unsigned = magic & 0xffffffffL;
    return NAMES.getOrDefault(unsigned, "0x%x".formatted(unsigned));
  }
}

package io.forkd.image;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;

/**
 * Makes an ext4 image of a folder without mounting anything.
 *
 * <p>The features are spelled out so that the image does not depend on the host's mke2fs.conf.
 * There is no journal and there are no checksums, because the disk is only ever read. Identifiers
 * are fixed: the image is one file shared by all guests, and equal folders give equal images.
 */
final class Ext4 {
  private static final String FEATURES =
      "none,ext_attr,dir_index,filetype,extent,flex_bg,sparse_super,large_file,huge_file,dir_nlink,"
          + "extra_isize";
  private static final String UUID = "666f726b-6400-4000-8000-000000000001";
  private static final int BLOCK = 4096;
  private static final int INODE = 256;
  private static final long SLACK_BLOCKS = 2048;

  private Ext4() {}

  static void make(Path folder, Path image) throws IOException {
    Size size = new Size();
    Files.walkFileTree(folder, size);
    long inodes = size.files + 256;
    long blocks = size.blocks + inodes * INODE / BLOCK + SLACK_BLOCKS;
    blocks += blocks / 32;
    // mke2fs reads these as seconds; the first is for versions before 1.47.1.
    Command.of(Tool.MKE2FS, "-q", "-F", "-t", "ext4", "-O", FEATURES)
        .with("-b", BLOCK, "-I", INODE, "-N", inodes, "-m", 0, "-L", "forkd-root", "-U", UUID)
        .with("-E", "hash_seed=" + UUID + ",root_owner=0:0,nodiscard", "-d", folder, image, blocks)
        .env("E2FSPROGS_FAKE_TIME", "1000000000")
        .env("SOURCE_DATE_EPOCH", "1000000000")
        .env("MKE2FS_CONFIG", "/dev/null")
        .within(Duration.ofMinutes(30))
        .run();
  }

  /** Counts what a folder will need on the disk. */
  private static final class Size extends SimpleFileVisitor<Path> {
    private long files;
    private long blocks;

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      files++;
      // A folder's own size on another filesystem says little; entries take some 40 bytes.
      blocks += 1 + Math.max(0, attributes.size()) / BLOCK;
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      files++;
      if (attributes.isRegularFile()) {
        // One more for the extent tree of a large or fragmented file.
        long data = (attributes.size() + BLOCK - 1) / BLOCK;
        blocks += data + (data > 1024 ? 1 + data / 1024 : 0);
      } else {
        blocks++;
      }
      return FileVisitResult.CONTINUE;
    }
  }
}

package io.forkd.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines that only grows, until it is renamed and begun anew: by itself when it is large,
 * or by somebody else at any time. Belongs to one thread.
 */
final class RotatingFile implements AutoCloseable {
  private static final byte NEWLINE = '\n';

  private final Path path;
  private final long largest;
  private final int kept;
  private @Nullable FileChannel channel;
  private @Nullable Object key;

  /**
   * @param largest bytes after which it is renamed
   * @param kept how many there are at most, with the one that grows
   */
  RotatingFile(Path path, long largest, int kept) {
    this.path = path;
    this.largest = largest;
    this.kept = kept;
  }

  /** Appends all lines or, when that fails, none. */
  void append(List<byte[]> lines) throws IOException {
    rotateIfLarge();
    FileChannel out = current();
    long before = out.size();
    try {
      ByteBuffer bytes = joined(lines);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    } catch (IOException e) {
      undo(out, before);
      throw e;
    }
  }

  private static ByteBuffer joined(List<byte[]> lines) {
    ByteBuffer bytes = ByteBuffer.allocate(lines.stream().mapToInt(line -> line.length + 1).sum());
    lines.forEach(line -> bytes.put(line).put(NEWLINE));
    return bytes.flip();
  }

  /** Half a line would spoil the next one. */
  private void undo(FileChannel out, long before) {
    try {
      out.truncate(before);
    } catch (IOException e) {
      // The next opening ends the half line.
      close();
    }
  }

  private FileChannel current() throws IOException {
    FileChannel open = channel;
    if (open != null && isStillThere()) {
      return open;
    }
    close();
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder, privately("rwx------"));
    }
    FileChannel opened =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            privately("rw-------"));
    channel = opened;
    key = keyOf(path);
    endHalfLine(opened);
    return opened;
  }

  private static FileAttribute<?> privately(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  /** A daemon that was killed may have left one. */
  private void endHalfLine(FileChannel out) throws IOException {
    if (out.size() > 0 && lastByte() != NEWLINE) {
      out.write(ByteBuffer.wrap(new byte[] {NEWLINE}));
    }
  }

  private byte lastByte() throws IOException {
    try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return in.read(last, in.size() - 1) == 1 ? last.get(0) : NEWLINE;
    }
  }

  private boolean isStillThere() throws IOException {
    try {
      return keyOf(path).equals(key);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static Object keyOf(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  private void rotateIfLarge() throws IOException {
    FileChannel out = current();
    if (out.size() < largest) {
      return;
    }
    out.force(false);
    close();
    Files.deleteIfExists(numbered(kept - 1));
    for (int i = kept - 2; i >= 0; i--) {
      Path from = i == 0 ? path : numbered(i);
      if (Files.exists(from)) {
        Files.move(from, numbered(i + 1), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private Path numbered(int number) {
    return path.resolveSibling(path.getFileName() + "." + number);
  }

  @Override
  public void close() {
    FileChannel open = channel;
    channel = null;
    key = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}

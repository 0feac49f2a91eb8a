package io.forkd.store;

import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.PageDigest;
import io.forkd.linux.PageScan;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Moves pages between files through direct buffers. */
final class Pages {
  static final int PAGE = PageScan.PAGE;

  /** What is read or written at once. */
  static final int CHUNK = 1 << 20;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PAGE).asReadOnlyBuffer();

  private Pages() {}

  static ByteBuffer chunk() {
    return ByteBuffer.allocateDirect(CHUNK);
  }

  static long roundUp(long bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
  }

  /** A view of the chunk's next bytes, which count as used. */
  static ByteBuffer take(ByteBuffer chunk, long most) {
    int bytes = (int) Math.min(chunk.remaining(), most);
    ByteBuffer view = chunk.slice(chunk.position(), bytes);
    chunk.position(chunk.position() + bytes);
    return view;
  }

  /** Writes what was put into the chunk and empties it. */
  static int flush(Fd target, ByteBuffer chunk, long at) {
    chunk.flip();
    int bytes = chunk.remaining();
    FileIo.pwrite(target, chunk, at);
    chunk.clear();
    return bytes;
  }

  /** Fills the view. */
  static void read(Fd memory, ByteBuffer into, long at) {
    int read = FileIo.pread(memory, into.duplicate(), at);
    if (read < into.remaining()) {
      throw new UncheckedIOException(
          new EOFException(
              "%s ended at %d while %d bytes were being read at %d"
                  .formatted(memory, at + read, into.remaining(), at)));
    }
  }

  /** Adds all pages, zero ones too. */
  static void digest(PageDigest digest, long offset, ByteBuffer pages) {
    for (int at = 0; at < pages.limit(); at += PAGE) {
      digest.page((offset + at) / PAGE, pages.slice(at, PAGE));
    }
  }

  /** Writes all pages but zero ones, which a fresh file has already. */
  static void writeSparse(Fd target, long offset, ByteBuffer pages) {
    int start = 0;
    for (int at = 0; at < pages.limit(); at += PAGE) {
      if (isZero(pages.slice(at, PAGE))) {
        writePart(target, offset, pages, start, at);
        start = at + PAGE;
      }
    }
    writePart(target, offset, pages, start, pages.limit());
  }

  private static void writePart(Fd target, long offset, ByteBuffer pages, int from, int to) {
    if (from < to) {
      FileIo.pwrite(target, pages.slice(from, to - from), offset + from);
    }
  }

  static boolean isZero(ByteBuffer page) {
    return page.mismatch(ZEROS) < 0;
  }
}

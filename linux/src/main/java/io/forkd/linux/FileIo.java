package io.forkd.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Reading, writing and sizing of open files, at offsets the caller names. */
public final class FileIo {
  private FileIo() {}

  public static long size(Fd fd) {
    return FileStatus.of(fd).size();
  }

  public static void truncate(Fd fd, long size) {
    FileCalls.ftruncate(fd.number(), size);
  }

  /** Makes the file's content and size survive a power cut. */
  public static void sync(Fd fd) {
    FileCalls.fsync(fd.number());
  }

  /**
   * Fills the buffer from the file until it is full or the file ends.
   *
   * @return the bytes read, fewer than asked only at the end of the file
   */
  public static int pread(Fd fd, ByteBuffer into, long offset) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment room =
          into.isDirect() ? MemorySegment.ofBuffer(into) : arena.allocate(into.remaining());
      int read = (int) readFully(fd.number(), room, offset);
      if (into.isDirect()) {
        into.position(into.position() + read);
      } else {
        into.put(room.asSlice(0, read).asByteBuffer());
      }
      return read;
    }
  }

  /** Writes all of the buffer. */
  public static void pwrite(Fd fd, ByteBuffer from, long offset) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = MemorySegment.ofBuffer(from);
      if (!from.isDirect()) {
        bytes = arena.allocate(from.remaining()).copyFrom(bytes);
      }
      writeFully(fd.number(), bytes, offset);
      from.position(from.limit());
    }
  }

  static long readFully(int fd, MemorySegment into, long offset) {
    long done = 0;
    while (done < into.byteSize()) {
      long read = FileCalls.pread(fd, into.asSlice(done), offset + done);
      if (read == 0) {
        break;
      }
      done += read;
    }
    return done;
  }

  static void writeFully(int fd, MemorySegment from, long offset) {
    long done = 0;
    while (done < from.byteSize()) {
      done += FileCalls.pwrite(fd, from.asSlice(done), offset + done);
    }
  }

  /** The file's bytes from an offset, fewer than asked at its end. */
  public static byte[] read(Fd fd, long offset, int length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment room = arena.allocate(length);
      long read = readFully(fd.number(), room, offset);
      return room.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE);
    }
  }
}

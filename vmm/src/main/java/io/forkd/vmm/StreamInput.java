package io.forkd.vmm;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;

/** Reads a stream of big-endian numbers and counted names. Every read is of a bounded length. */
final class StreamInput {
  private static final int BUFFER = 256 << 10;

  private final ReadableByteChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER).flip();

  StreamInput(ReadableByteChannel channel) {
    this.channel = channel;
  }

  int u8() throws IOException {
    require(Byte.BYTES);
    return Byte.toUnsignedInt(buffer.get());
  }

  int be16() throws IOException {
    require(Short.BYTES);
    return Short.toUnsignedInt(buffer.getShort());
  }

  int be32() throws IOException {
    require(Integer.BYTES);
    return buffer.getInt();
  }

  long be64() throws IOException {
    require(Long.BYTES);
    return buffer.getLong();
  }

  /** A byte for the length, and that many bytes. */
  String name() throws IOException {
    byte[] bytes = new byte[u8()];
    fill(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Reads as many bytes as an array has. */
  void fill(byte[] into) throws IOException {
    require(into.length);
    buffer.get(into);
  }

  /** Reads to the end and keeps nothing. */
  void drain() throws IOException {
    do {
      buffer.clear();
    } while (channel.read(buffer) >= 0);
    buffer.clear().flip();
  }

  private void require(int bytes) throws IOException {
    if (buffer.remaining() >= bytes) {
      return;
    }
    buffer.compact();
    try {
      while (buffer.position() < bytes) {
        if (channel.read(buffer) < 0) {
          throw new EOFException("it ended early");
        }
      }
    } finally {
      buffer.flip();
    }
  }
}

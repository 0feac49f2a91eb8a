package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A server's side of a WebSocket, frame by frame. */
public final class FakeSocket {
  public static final int TEXT = 1;
  public static final int BINARY = 2;
  public static final int CLOSE = 8;
  public static final int PING = 9;
  public static final int PONG = 10;

  /** What a client sent. */
  public record Frame(int opcode, byte[] bytes) {
    public String text() {
      return new String(bytes, UTF_8);
    }
  }

  private final DataInputStream in;
  private final OutputStream out;

  public FakeSocket(InputStream in, OutputStream out) {
    this.in = new DataInputStream(in);
    this.out = out;
  }

  /** Reads one frame, which must be masked as every client's is. */
  public Frame receive() throws IOException {
    int opcode = in.readUnsignedByte() & 0x0f;
    int lengths = in.readUnsignedByte();
    if ((lengths & 0x80) == 0) {
      throw new IOException("a client's frame is not masked");
    }
    long length = lengths & 0x7f;
    length = length == 126 ? in.readUnsignedShort() : length == 127 ? in.readLong() : length;
    byte[] mask = in.readNBytes(4);
    byte[] bytes = in.readNBytes((int) length);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (bytes[i] ^ mask[i & 3]);
    }
    return new Frame(opcode, bytes);
  }

  public void text(String json) throws IOException {
    frame(true, TEXT, json.getBytes(UTF_8));
  }

  public void bytes(byte[] bytes) throws IOException {
    frame(true, BINARY, bytes);
  }

  public void close() throws IOException {
    frame(true, CLOSE, new byte[] {3, (byte) 0xe8});
  }

  public void frame(boolean last, int opcode, byte[] bytes) throws IOException {
    DataOutputStream head = new DataOutputStream(out);
    head.writeByte(opcode | (last ? 0x80 : 0));
    if (bytes.length < 126) {
      head.writeByte(bytes.length);
    } else if (bytes.length < 1 << 16) {
      head.writeByte(126);
      head.writeShort(bytes.length);
    } else {
      head.writeByte(127);
      head.writeLong(bytes.length);
    }
    out.write(bytes);
    out.flush();
  }
}

package io.forkd.server.http;

import java.io.DataInputStream;
import java.io.IOException;

/**
 * One frame as a client sends it, its mask taken off: RFC 6455, section 5.
 *
 * @param last whether its message ends with it
 */
record WebSocketFrame(boolean last, int opcode, byte[] payload) {
  static final int CONTINUATION = 0;
  static final int TEXT = 1;
  static final int BINARY = 2;
  static final int CLOSE = 8;
  static final int PING = 9;
  static final int PONG = 10;

  private static final int LONGEST_CONTROL = 125;

  boolean isControl() {
    return opcode >= CLOSE;
  }

  /**
   * Waits for the next one.
   *
   * @param room how many bytes a frame that is no control frame may have
   */
  static WebSocketFrame read(DataInputStream in, int room) throws IOException {
    int first = in.readUnsignedByte();
    int second = in.readUnsignedByte();
    int opcode = first & 0x0f;
    boolean last = (first & 0x80) != 0;
    boolean control = opcode >= CLOSE;
    if ((first & 0x70) != 0) {
      throw new WebSocketException(1002, "a reserved bit is set");
    }
    if (opcode > PONG || (opcode > BINARY && opcode < CLOSE)) {
      throw new WebSocketException(1002, "there is no opcode " + opcode);
    }
    if ((second & 0x80) == 0) {
      throw new WebSocketException(1002, "a frame is not masked");
    }
    long length = length(in, second & 0x7f);
    if (control && (!last || length > LONGEST_CONTROL)) {
      throw new WebSocketException(1002, "a control frame is too long or in parts");
    }
    if (!control && length > room) {
      throw new WebSocketException(1009, "a message is too long");
    }
    return new WebSocketFrame(last, opcode, unmasked(in, (int) length));
  }

  private static long length(DataInputStream in, int said) throws IOException {
    long length =
        switch (said) {
          case 126 -> in.readUnsignedShort();
          case 127 -> in.readLong();
          default -> said;
        };
    if (length < 0 || (said == 126 && length < 126) || (said == 127 && length < 1 << 16)) {
      throw new WebSocketException(1002, "a length is not written as short as can be");
    }
    return length;
  }

  private static byte[] unmasked(DataInputStream in, int length) throws IOException {
    byte[] mask = new byte[4];
    in.readFully(mask);
    byte[] payload = new byte[length];
    in.readFully(payload);
    for (int i = 0; i < length; i++) {
      payload[i] ^= mask[i & 3];
    }
    return payload;
  }
}

package io.forkd.guest;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One message of the guest protocol.
 *
 * @param flags the data channel in DATA and EOF, else 0
 * @param stream 0 for control
 */
record Frame(int type, int flags, int stream, byte[] payload) {
  static final int HEADER = 10;
  static final int MAX_PAYLOAD = 65536;
  static final int MAX_FRAME = HEADER + MAX_PAYLOAD;

  /** The frame as it goes over the wire, with its closing zero. */
  byte[] encode() {
    byte[] plain =
        ByteBuffer.allocate(HEADER + payload.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) type)
            .put((byte) flags)
            .putInt(stream)
            .putInt(payload.length)
            .put(payload)
            .array();
    byte[] wire = new byte[Cobs.bound(plain.length)];
    return Arrays.copyOf(wire, Cobs.encode(plain, plain.length, wire, 0));
  }

  /** Reads the plain bytes of a frame. */
  static Frame parse(byte[] plain) throws NonsenseException {
    if (plain.length < HEADER) {
      throw new NonsenseException("a frame of %d bytes has no header".formatted(plain.length));
    }
    ByteBuffer in = ByteBuffer.wrap(plain).order(ByteOrder.LITTLE_ENDIAN);
    int type = in.get() & 0xff;
    int flags = in.get() & 0xff;
    int stream = in.getInt();
    int length = in.getInt();
    if (length != in.remaining() || stream < 0) {
      throw new NonsenseException(
          "a frame announces %d bytes and has %d".formatted(length, in.remaining()));
    }
    return new Frame(type, flags, stream, Arrays.copyOfRange(plain, HEADER, plain.length));
  }
}

package io.forkd.guest;

import java.util.Arrays;

/**
 * Consistent overhead byte stuffing: frames without zero bytes, so that a zero always ends one and
 * a reader that lost its place finds it again at the next.
 */
final class Cobs {
  private static final int LONGEST_BLOCK = 0xff;

  private Cobs() {}

  static int bound(int length) {
    return length + length / 254 + 2;
  }

  /**
   * Encodes {@code length} bytes and their closing zero into {@code to}, which has room for {@link
   * #bound} bytes from {@code at} on; returns the end.
   */
  static int encode(byte[] from, int length, byte[] to, int at) {
    int code = at;
    int next = at + 1;
    for (int i = 0; i < length; i++) {
      if (next - code == LONGEST_BLOCK) {
        to[code] = (byte) LONGEST_BLOCK;
        code = next++;
      }
      if (from[i] == 0) {
        to[code] = (byte) (next - code);
        code = next++;
      } else {
        to[next++] = from[i];
      }
    }
    to[code] = (byte) (next - code);
    to[next++] = 0;
    return next;
  }

  /** What a decoder made of the byte it was given. */
  enum Event {
    MORE,
    FRAME,
    /** A frame was torn or too long; what is left of it will be skipped. */
    BAD
  }

  /** Decodes frames of at most {@code limit} plain bytes as their encoded bytes come. */
  static final class Decoder {
    private final int limit;
    private byte[] frame = new byte[512];
    private int length;
    private int code;
    private int missing;
    private boolean skipping;

    Decoder(int limit) {
      this.limit = limit;
    }

    Event take(byte value) {
      if (value == 0) {
        return finish();
      }
      if (skipping) {
        return Event.MORE;
      }
      if (code == 0) {
        length = 0;
      }
      if (missing > 0) {
        missing--;
        return append(value);
      }
      boolean impliedZero = code != 0 && code != LONGEST_BLOCK;
      code = value & 0xff;
      missing = code - 1;
      return impliedZero ? append((byte) 0) : Event.MORE;
    }

    /** The plain bytes of the frame just finished; a copy. */
    byte[] frame() {
      return Arrays.copyOf(frame, length);
    }

    private Event append(byte value) {
      if (length == limit) {
        skipping = true;
        return Event.BAD;
      }
      if (length == frame.length) {
        frame = Arrays.copyOf(frame, Math.min(limit, 2 * length));
      }
      frame[length++] = value;
      return Event.MORE;
    }

    private Event finish() {
      boolean empty = code == 0;
      boolean torn = missing > 0;
      boolean skipped = skipping;
      code = 0;
      missing = 0;
      skipping = false;
      if (skipped || empty) {
        return Event.MORE;
      }
      return torn ? Event.BAD : Event.FRAME;
    }
  }
}

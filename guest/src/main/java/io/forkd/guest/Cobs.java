package io.forkd.guest;

import java.nio.ByteBuffer;
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
    int i = 0;
    while (i < length) {
      if (next - code == LONGEST_BLOCK) {
        to[code] = (byte) LONGEST_BLOCK;
        code = next++;
      }
      if (from[i] == 0) {
        to[code] = (byte) (next - code);
        code = next++;
        i++;
        continue;
      }
      int most = Math.min(length, i + LONGEST_BLOCK - (next - code));
      int run = i;
      while (run < most && from[run] != 0) {
        run++;
      }
      System.arraycopy(from, i, to, next, run - i);
      next += run - i;
      i = run;
    }
    to[code] = (byte) (next - code);
    to[next++] = 0;
    return next;
  }

  /** What a decoder made of the bytes it was given. */
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

    /** Takes bytes until a frame ends or turns out bad, or there are no more. */
    Event take(ByteBuffer in) {
      while (in.hasRemaining()) {
        Event event = missing > 0 && !skipping ? takeRun(in) : takeCode(in.get());
        if (event != Event.MORE) {
          return event;
        }
      }
      return Event.MORE;
    }

    /** A byte that says how long the next block is, or ends the frame, or is skipped. */
    private Event takeCode(byte value) {
      if (value == 0) {
        return finish();
      }
      if (skipping) {
        return Event.MORE;
      }
      if (code == 0) {
        length = 0;
      }
      boolean impliedZero = code != 0 && code != LONGEST_BLOCK;
      code = value & 0xff;
      missing = code - 1;
      if (!impliedZero) {
        return Event.MORE;
      }
      if (!makeRoom(1)) {
        return Event.BAD;
      }
      frame[length++] = 0;
      return Event.MORE;
    }

    /** As much of a block as is there; a zero in it tears the frame. */
    private Event takeRun(ByteBuffer in) {
      int run = Math.min(missing, in.remaining());
      if (!makeRoom(run)) {
        return Event.BAD;
      }
      in.get(in.position(), frame, length, run);
      int zero = 0;
      while (zero < run && frame[length + zero] != 0) {
        zero++;
      }
      in.position(in.position() + zero);
      length += zero;
      missing -= zero;
      return zero < run ? takeCode(in.get()) : Event.MORE;
    }

    /** The plain bytes of the frame just finished; a copy. */
    byte[] frame() {
      return Arrays.copyOf(frame, length);
    }

    /** False when the frame would be too long, which is then skipped. */
    private boolean makeRoom(int more) {
      if (more > limit - length) {
        skipping = true;
        return false;
      }
      if (length + more > frame.length) {
        frame = Arrays.copyOf(frame, Math.min(limit, Math.max(length + more, 2 * length)));
      }
      return true;
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

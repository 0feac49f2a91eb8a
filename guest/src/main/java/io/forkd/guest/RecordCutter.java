package io.forkd.guest;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Cuts the bytes of an answer, as they come, into the records that each have a length before them.
 */
final class RecordCutter {
  /** Takes one record. */
  interface Each {
    void take(byte[] record) throws NonsenseException;
  }

  private final int longest;
  private byte[] pending = new byte[0];

  RecordCutter(int longest) {
    this.longest = longest;
  }

  void add(byte[] data, Each each) throws NonsenseException {
    byte[] all = Arrays.copyOf(pending, pending.length + data.length);
    System.arraycopy(data, 0, all, pending.length, data.length);
    ByteBuffer in = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
    while (in.remaining() >= Integer.BYTES) {
      int length = in.getInt(in.position());
      if (length < 0 || length > longest) {
        throw new NonsenseException("a record announces %d bytes".formatted(length));
      }
      if (in.remaining() < Integer.BYTES + length) {
        break;
      }
      byte[] plain = new byte[length];
      in.getInt();
      in.get(plain);
      each.take(plain);
    }
    pending = Arrays.copyOfRange(all, in.position(), all.length);
  }

  /** Whether a record has begun that is not there to its end. */
  boolean isTorn() {
    return pending.length > 0;
  }
}

package io.forkd.guest;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;

/**
 * Output of both channels in the order in which it came. It takes as much of the heap as its bytes
 * and a bit for each, however small the pieces are in which a guest sends them.
 */
final class Interleaved {
  /** Bytes of one channel that came one after the other. */
  record Piece(int channel, byte[] bytes) {}

  private byte[] bytes = new byte[0];
  private final BitSet errors = new BitSet(0);
  private int next;
  private int end;

  void add(int channel, byte[] data) {
    if (data.length > bytes.length - end) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * end, end + data.length));
    }
    System.arraycopy(data, 0, bytes, end, data.length);
    errors.set(end, end + data.length, channel == Protocol.CHANNEL_ERR);
    end += data.length;
  }

  /** How many bytes have not been taken yet. */
  int size() {
    return end - next;
  }

  /** Takes what comes first, at most this many bytes of it; empty when all has been taken. */
  Optional<Piece> take(int most) {
    if (next == end) {
      return Optional.empty();
    }
    boolean error = errors.get(next);
    int change = error ? errors.nextClearBit(next) : errors.nextSetBit(next);
    int to = Math.min(change < 0 ? end : Math.min(change, end), next + most);
    byte[] piece = Arrays.copyOfRange(bytes, next, to);
    next = to;
    return Optional.of(new Piece(error ? Protocol.CHANNEL_ERR : Protocol.CHANNEL_OUT, piece));
  }

  /** All of one channel that has not been taken yet; takes nothing. */
  byte[] only(int channel) {
    boolean error = channel == Protocol.CHANNEL_ERR;
    if (errors.isEmpty()) {
      return error ? new byte[0] : Arrays.copyOfRange(bytes, next, end);
    }
    byte[] found = new byte[size()];
    int length = 0;
    for (int at = next; at < end; at++) {
      if (errors.get(at) == error) {
        found[length++] = bytes[at];
      }
    }
    return Arrays.copyOf(found, length);
  }
}

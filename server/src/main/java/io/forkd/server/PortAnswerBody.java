package io.forkd.server;

import io.forkd.base.ChunkInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The body of what a guest answers, without its framing. One that ends elsewhere than it said it
 * would is an {@link IOException}, never a shorter body.
 */
final class PortAnswerBody extends ChunkInput {
  private static final int LONGEST_CHUNK_LINE = 256;
  private static final int LARGEST_TRAILERS = 8 << 10;

  private final InputStream in;
  private final boolean chunked;
  private final boolean untilClose;
  private long remaining;
  private boolean inChunk;
  private boolean ended;

  PortAnswerBody(InputStream in, PortAnswer answer) {
    this.in = in;
    this.chunked = answer.chunked();
    this.untilClose = !chunked && answer.length().isEmpty();
    this.remaining = untilClose ? Long.MAX_VALUE : answer.length().orElse(0);
    this.ended = !chunked && remaining == 0;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (chunked && !ended && remaining == 0) {
      beginChunk();
    }
    if (ended) {
      return -1;
    }
    int count = in.read(target, offset, (int) Math.min(length, remaining));
    if (count < 0) {
      if (!untilClose) {
        throw new EOFException("the guest's answer ended too early");
      }
      ended = true;
    } else if (!untilClose) {
      remaining -= count;
      ended = !chunked && remaining == 0;
    }
    return count;
  }

  private void beginChunk() throws IOException {
    if (inChunk && !line(LONGEST_CHUNK_LINE).isEmpty()) {
      throw new BadAnswerException("a chunk does not end where it said it would");
    }
    inChunk = true;
    String size = line(LONGEST_CHUNK_LINE);
    int extension = size.indexOf(';');
    String digits = HttpSyntax.trimmed(extension < 0 ? size : size.substring(0, extension));
    if (!digits.matches("[0-9A-Fa-f]{1,15}")) {
      throw new BadAnswerException("a chunk has no size");
    }
    remaining = Long.parseLong(digits, 16);
    if (remaining == 0) {
      skipTrailers();
      ended = true;
    }
  }

  private void skipTrailers() throws IOException {
    int left = LARGEST_TRAILERS;
    for (String line = line(left); !line.isEmpty(); line = line(left)) {
      left -= line.length();
    }
  }

  private String line(int limit) throws IOException {
    StringBuilder line = new StringBuilder(16);
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the guest's answer ended too early");
      }
      if (line.length() >= limit) {
        throw new BadAnswerException("a line of its framing is too long");
      }
      line.append((char) next);
    }
    boolean carriage = !line.isEmpty() && line.charAt(line.length() - 1) == '\r';
    return carriage ? line.substring(0, line.length() - 1) : line.toString();
  }
}

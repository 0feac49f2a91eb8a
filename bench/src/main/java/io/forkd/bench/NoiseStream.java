package io.forkd.bench;

import java.io.InputStream;
import java.util.SplittableRandom;

/** So many bytes that nobody can guess or pack, made as they are read, always the same. */
final class NoiseStream extends InputStream {
  private final SplittableRandom random;
  private long left;

  NoiseStream(long seed, long size) {
    this.random = new SplittableRandom(seed);
    this.left = size;
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    if (left == 0) {
      return -1;
    }
    int count = (int) Math.min(length, left);
    byte[] noise = new byte[count];
    random.nextBytes(noise);
    System.arraycopy(noise, 0, target, offset, count);
    left -= count;
    return count;
  }
}

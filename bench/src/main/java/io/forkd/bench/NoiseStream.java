package io.forkd.bench;

import io.forkd.base.ChunkInput;
import java.util.SplittableRandom;

/** So many bytes that nobody can guess or pack, made as they are read, always the same. */
final class NoiseStream extends ChunkInput {
  private final SplittableRandom random;
  private long left;

  NoiseStream(long seed, long size) {
    this.random = new SplittableRandom(seed);
    this.left = size;
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

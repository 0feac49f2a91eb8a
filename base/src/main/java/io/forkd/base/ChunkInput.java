package io.forkd.base;

import java.io.IOException;
import java.io.InputStream;

/** A stream whose one way to read is by chunks; a single byte is a chunk of one. */
public abstract class ChunkInput extends InputStream {
  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public abstract int read(byte[] into, int from, int length) throws IOException;
}

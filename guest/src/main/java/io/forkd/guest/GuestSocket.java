package io.forkd.guest;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * A TCP connection to a port inside a guest, over the agent's channel.
 *
 * <p>One thread may read while another writes, and any may close. Reads and writes block without a
 * limit; {@link #close} and the end of the channel end them with an {@link java.io.IOException}.
 */
public interface GuestSocket extends AutoCloseable {
  /** What the guest sends; ends when the guest has closed its side. */
  InputStream input();

  /** What the guest gets, at the pace it takes it; closing this closes that direction alone. */
  OutputStream output();

  /**
   * Ends both directions. What was written is still given to the guest; what it sent and nobody
   * read is lost.
   */
  @Override
  void close();
}

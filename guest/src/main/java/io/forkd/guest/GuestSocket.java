package io.forkd.guest;

import java.io.InputStream;
import java.io.OutputStream;

/** A TCP connection to a port inside a guest, over the agent's channel. */
public interface GuestSocket extends AutoCloseable {
  /** What the guest sends; ends when the guest has closed its side. */
  InputStream input();

  /** What the guest gets, at the pace it takes it; closing this closes that direction alone. */
  OutputStream output();

  /** Ends both directions. */
  @Override
  void close();
}

package io.forkd.core;

import io.forkd.guest.GuestSocket;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;

/** A connection into a sandbox, which counts as in use until it is closed. */
record CountedSocket(GuestSocket socket, Activity.Use use) implements GuestSocket {
  private static final Duration CONNECT_WAIT = Duration.ofSeconds(10);

  static GuestSocket open(LiveSandbox sandbox, int port) {
    return sandbox
        .activity()
        .open(() -> sandbox.agent().connect(port, CONNECT_WAIT), CountedSocket::new);
  }

  @Override
  public InputStream input() {
    return socket.input();
  }

  @Override
  public OutputStream output() {
    return socket.output();
  }

  @Override
  public void close() {
    use.closeAfter(socket::close);
  }
}

package io.forkd.client;

import io.forkd.base.Duplex;
import java.io.InputStream;
import java.io.OutputStream;

/** A TCP connection to a port of a sandbox, through its daemon. */
public final class PortTunnel implements Duplex {
  private static final String PROTOCOL = "forkd-tcp";

  private final Upgrade upgrade;

  private PortTunnel(Upgrade upgrade) {
    this.upgrade = upgrade;
  }

  /** Connects to the daemon and asks it for the port that the path names. */
  static PortTunnel open(Endpoint endpoint, String path) {
    return new PortTunnel(Upgrade.open(endpoint, path, PROTOCOL, ""));
  }

  @Override
  public InputStream input() {
    return upgrade.input();
  }

  @Override
  public OutputStream output() {
    return upgrade.wire().output();
  }

  @Override
  public void close() {
    upgrade.wire().close();
  }
}

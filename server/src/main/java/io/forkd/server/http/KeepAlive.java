package io.forkd.server.http;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.io.EndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the kernel to find out about peers that vanished without a word, where a connection may be
 * silent for ever.
 */
final class KeepAlive {
  private static final Logger log = LoggerFactory.getLogger(KeepAlive.class);
  private static final int IDLE_SECONDS = 60;
  private static final int INTERVAL_SECONDS = 15;
  private static final int PROBES = 4;

  private KeepAlive() {}

  static void ask(EndPoint endPoint) {
    Object transport = endPoint.getTransport();
    // TLS is an end point on another one.
    while (transport instanceof EndPoint inner) {
      transport = inner.getTransport();
    }
    if (!(transport instanceof NetworkChannel channel)
        || !channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
      // A Unix socket's peer cannot vanish: the kernel closes what it leaves.
      return;
    }
    try {
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
      channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS);
      channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    } catch (IOException e) {
      log.debug("A tunnel goes without keep-alive: {}", e.toString());
    }
  }
}

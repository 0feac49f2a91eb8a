package io.forkd.server;

import java.time.Duration;

/**
 * How patient the port proxy is.
 *
 * @param connect how long a guest may take to accept a connection
 * @param idle how long nothing may move between the proxy and a guest before an exchange is given
 *     up; tunnels may be silent for ever
 * @param consent how long a guest may take to ask for the body of a client that waits to be asked
 * @param drain how long the rest of a body is read that nobody wants, so that its sender hears why
 */
record PortTimes(Duration connect, Duration idle, Duration consent, Duration drain) {
  static final PortTimes DEFAULT =
      new PortTimes(
          Duration.ofSeconds(10),
          Duration.ofMinutes(5),
          Duration.ofSeconds(1),
          Duration.ofSeconds(5));
}

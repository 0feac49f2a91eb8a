package io.forkd.server.http;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where and how patiently to listen.
 *
 * @param idle how long a connection may be silent while the server waits for it
 * @param stop how long requests under way may take once the server is asked to stop
 */
public record HttpConfig(
    Path socket, Optional<InetSocketAddress> listen, Duration idle, Duration stop) {
  public static final Duration DEFAULT_IDLE = Duration.ofSeconds(60);
  public static final Duration DEFAULT_STOP = Duration.ofSeconds(10);
}

package io.forkd.server.http;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Where and how patiently to listen.
 *
 * @param socketGroup whose members may connect to the socket, beside its owner
 * @param tls the certificate TCP is to be encrypted with
 * @param idle how long a connection may be silent while the server waits for it, and how long a
 *     request's header or body may take to arrive
 * @param stop how long requests under way may take once the server is asked to stop
 */
public record HttpConfig(
    Path socket,
    Optional<String> socketGroup,
    Optional<InetSocketAddress> listen,
    Optional<SSLContext> tls,
    Duration idle,
    Duration stop) {
  public static final Duration DEFAULT_IDLE = Duration.ofSeconds(60);
  public static final Duration DEFAULT_STOP = Duration.ofSeconds(10);

  public HttpConfig(Path socket, Optional<InetSocketAddress> listen, Duration idle, Duration stop) {
    this(socket, Optional.empty(), listen, Optional.empty(), idle, stop);
  }
}

package io.forkd.server.http;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/1.1 on a Unix socket and, if asked, a TCP port. Each request runs on a virtual thread of its
 * own, so handlers may block.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpServer.class);
  private static final int MOST_REQUESTS_AT_ONCE = 4096;
  private static final int MOST_CONNECTIONS = 4096;
  private static final int HEADER_LIMIT = 16 * 1024;
  private static final int ANSWER_HEADER_LIMIT = 64 * 1024;

  /**
   * Paths that are read in more than one way. Handlers that pass a path on take them as they are;
   * others ask {@link Exchange#hasPlainPath}.
   */
  private static final UriCompliance ANY_PATH =
      UriCompliance.RFC3986.with(
          "ANY_PATH",
          Violation.AMBIGUOUS_PATH_SEGMENT,
          Violation.AMBIGUOUS_EMPTY_SEGMENT,
          Violation.AMBIGUOUS_PATH_SEPARATOR,
          Violation.AMBIGUOUS_PATH_PARAMETER,
          Violation.AMBIGUOUS_PATH_ENCODING,
          Violation.BAD_UTF8_ENCODING,
          Violation.TRUNCATED_UTF8_ENCODING,
          Violation.SUSPICIOUS_PATH_CHARACTERS,
          Violation.ILLEGAL_PATH_CHARACTERS);

  static {
    // Jetty asks JMX how many references fit a cache line, which costs a fifth of a second at
    // start. It is 16 with compressed references; a wrong guess only pads differently.
    if (System.getProperty("org.eclipse.jetty.util.referencesPerCacheLine") == null) {
      System.setProperty("org.eclipse.jetty.util.referencesPerCacheLine", "16");
    }
  }

  private final Endings endings = new Endings();
  private final Server server;
  private final HttpConfig config;
  private final SocketBirthplace birthplace;
  private final Optional<SslContextFactory.Server> tls;
  private final Optional<ServerConnector> tcp;

  private HttpServer(HttpConfig config, HttpHandler handler) {
    this.config = config;
    this.birthplace = new SocketBirthplace(config.socket(), config.socketGroup());
    QueuedThreadPool threads = new QueuedThreadPool(16, 2);
    threads.setName("http");
    threads.setVirtualThreadsExecutor(new VirtualThreadPool(MOST_REQUESTS_AT_ONCE));
    server = new Server(threads);
    server.setStopTimeout(config.stop().toMillis());
    server.setErrorHandler(new JsonErrorHandler());
    server.setHandler(new GracefulHandler(new JettyAdapter(handler, endings)));
    tls = config.tls().map(HttpServer::tls);
    server.addConnector(unixConnector());
    tcp = config.listen().map(this::tcpConnector);
    tcp.ifPresent(server::addConnector);
    // For each, so that whoever fills one of them up does not shut the other.
    for (Connector connector : server.getConnectors()) {
      server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, connector));
    }
  }

  /** Listens when it returns; the caller has made sure that the socket's path is free. */
  public static HttpServer start(HttpConfig config, HttpHandler handler) {
    HttpServer http = new HttpServer(config, handler);
    try {
      http.birthplace.prepare();
      http.server.start();
      http.birthplace.publish();
      return http;
    } catch (Exception e) {
      http.close();
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "Cannot listen on %s: %s. Next: free the address or choose another."
              .formatted(http.addresses(), rootMessage(e)),
          e);
    }
  }

  /** Encrypts new connections with another certificate; those that are open go on. */
  public void replaceTls(SSLContext context) {
    try {
      tls.orElseThrow(() -> new IllegalStateException("TCP is not encrypted"))
          .reload(factory -> factory.setSslContext(context));
    } catch (Exception e) {
      throw new ForkdException(ErrorCode.INTERNAL, "Cannot take the new certificate: " + e, e);
    }
  }

  /** The TCP port in use, when there is one. */
  public Optional<Integer> port() {
    return tcp.map(ServerConnector::getLocalPort);
  }

  /** Takes no more requests, lets those under way finish within the bound, then ends them. */
  @Override
  public void close() {
    // First, so that new clients see no daemon rather than one that does not answer.
    deleteSocket();
    endings.stop();
    try {
      server.stop();
    } catch (TimeoutException e) {
      log.warn("Requests still under way after {} were cut off", config.stop());
    } catch (Exception e) {
      throw new ForkdException(ErrorCode.INTERNAL, "Stopping the HTTP server failed: " + e, e);
    }
  }

  private void deleteSocket() {
    try {
      Files.deleteIfExists(config.socket());
      birthplace.remove();
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "Cannot remove the socket %s: %s.".formatted(config.socket(), e));
    }
  }

  private UnixDomainServerConnector unixConnector() {
    UnixDomainServerConnector connector = new UnixDomainServerConnector(server, 1, 1, protocol());
    connector.setUnixDomainPath(birthplace.socket());
    connector.setAcceptQueueSize(1024);
    connector.setIdleTimeout(config.idle().toMillis());
    connector.setShutdownIdleTimeout(500);
    return connector;
  }

  private ServerConnector tcpConnector(InetSocketAddress address) {
    HttpConnectionFactory http = protocol();
    ConnectionFactory[] protocols =
        tls.map(
                factory ->
                    new ConnectionFactory[] {
                      new SslConnectionFactory(factory, http.getProtocol()), http
                    })
            .orElse(new ConnectionFactory[] {http});
    ServerConnector connector = new ServerConnector(server, 1, 1, protocols);
    connector.setHost(address.getAddress().getHostAddress());
    connector.setPort(address.getPort());
    connector.setAcceptQueueSize(1024);
    connector.setIdleTimeout(config.idle().toMillis());
    connector.setShutdownIdleTimeout(500);
    return connector;
  }

  private static SslContextFactory.Server tls(SSLContext context) {
    SslContextFactory.Server factory = new SslContextFactory.Server();
    factory.setSslContext(context);
    factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
    factory.setRenegotiationAllowed(false);
    return factory;
  }

  private HttpConnectionFactory protocol() {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
    http.setRequestHeaderSize(HEADER_LIMIT);
    http.setMaxResponseHeaderSize(ANSWER_HEADER_LIMIT);
    http.setUriCompliance(ANY_PATH);
    HeaderDeadline deadline = new HeaderDeadline(config.idle(), server.getScheduler());
    server.addBean(deadline);
    return deadline.addTo(new HttpConnectionFactory(http));
  }

  private String addresses() {
    return config.socket() + config.listen().map(address -> " and " + address).orElse("");
  }

  private static String rootMessage(Throwable e) {
    return e.getCause() == null ? String.valueOf(e.getMessage()) : rootMessage(e.getCause());
  }
}

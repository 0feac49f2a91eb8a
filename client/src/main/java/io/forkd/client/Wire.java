package io.forkd.client;

import io.forkd.base.Duplex;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A bare connection to a daemon.
 *
 * @param host what the daemon is called in requests
 * @param basePath what precedes the path in requests
 */
record Wire(String host, String basePath, InputStream input, OutputStream output, Runnable end)
    implements Duplex {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

  /** Does to a connection what may fail. */
  private interface Step {
    void run() throws IOException;
  }

  static Wire open(Endpoint endpoint) throws IOException {
    return endpoint instanceof Endpoint.Unix unix ? unix(unix) : net((Endpoint.Tcp) endpoint);
  }

  /** The first lines of a request, to which more headers and an empty line are to be added. */
  String requestHead(String method, String path, Optional<String> token) {
    return "%s %s%s HTTP/1.1\r\nHost: %s\r\n%s"
        .formatted(
            method,
            basePath,
            path,
            host,
            token.map("Authorization: Bearer %s\r\n"::formatted).orElse(""));
  }

  private static Wire unix(Endpoint.Unix endpoint) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(endpoint.socket()));
    return new Wire(
        "localhost",
        "",
        Channels.newInputStream(channel),
        halfClosing(Channels.newOutputStream(channel), channel::shutdownOutput),
        quietly(channel::close));
  }

  private static Wire net(Endpoint.Tcp endpoint) throws IOException {
    URI base = endpoint.base();
    boolean tls = "https".equals(base.getScheme());
    int port = base.getPort() > 0 ? base.getPort() : tls ? 443 : 80;
    InetSocketAddress address = new InetSocketAddress(base.getHost(), port);
    if (address.isUnresolved()) {
      throw new UnknownHostException(base.getHost());
    }
    Socket plain = new Socket();
    try {
      plain.connect(address, (int) CONNECT_LIMIT.toMillis());
      plain.setTcpNoDelay(true);
      plain.setKeepAlive(true);
      Socket socket = tls ? encrypted(plain, endpoint, port) : plain;
      String path = base.getRawPath() == null ? "" : base.getRawPath().replaceFirst("/+$", "");
      return new Wire(
          base.getHost() + ":" + port,
          path,
          socket.getInputStream(),
          halfClosing(socket.getOutputStream(), socket::shutdownOutput),
          quietly(socket::close));
    } catch (IOException | RuntimeException e) {
      plain.close();
      throw e;
    }
  }

  private static SSLSocket encrypted(Socket plain, Endpoint.Tcp endpoint, int port)
      throws IOException {
    SSLSocketFactory factory =
        endpoint
            .caFile()
            .map(file -> Trust.only(file).getSocketFactory())
            .orElseGet(() -> (SSLSocketFactory) SSLSocketFactory.getDefault());
    SSLSocket socket =
        (SSLSocket) factory.createSocket(plain, endpoint.base().getHost(), port, true);
    SSLParameters parameters = socket.getSSLParameters();
    // Without it any certificate of a trusted authority would do.
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    plain.setSoTimeout((int) CONNECT_LIMIT.toMillis());
    socket.startHandshake();
    plain.setSoTimeout(0);
    return socket;
  }

  private static OutputStream halfClosing(OutputStream out, Step close) {
    return new FilterOutputStream(out) {
      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        out.write(source, offset, length);
      }

      @Override
      public void close() throws IOException {
        close.run();
      }
    };
  }

  private static Runnable quietly(Step close) {
    return () -> {
      try {
        close.run();
      } catch (IOException e) {
        // Nothing is left to lose on a connection that is given up.
        return;
      }
    };
  }

  @Override
  public void close() {
    end.run();
  }
}

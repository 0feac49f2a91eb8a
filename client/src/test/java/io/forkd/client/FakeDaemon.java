package io.forkd.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A daemon's front door on a Unix socket, whose answers a test writes. */
public final class FakeDaemon implements AutoCloseable {
  /** What a client asked. */
  public record Request(String method, String path, Map<String, String> headers, byte[] bytes) {
    public String body() {
      return new String(bytes, UTF_8);
    }

    public String line() {
      return method + " " + path;
    }
  }

  /** Answers one request with raw bytes; returning false hangs up. */
  @FunctionalInterface
  public interface Handler {
    boolean answer(Request request, OutputStream out) throws IOException;
  }

  /** Serves a connection that was upgraded. */
  @FunctionalInterface
  public interface Tunnel {
    void serve(InputStream in, OutputStream out) throws IOException;
  }

  private volatile Optional<Tunnel> tunnel = Optional.empty();
  private final Path socket;
  private final ServerSocketChannel server;
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final List<SocketChannel> open = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile Handler handler;

  private FakeDaemon(Path socket, ServerSocketChannel server, Handler handler) {
    this.socket = socket;
    this.server = server;
    this.handler = handler;
  }

  public static FakeDaemon start(Handler handler) throws IOException {
    Path socket = Files.createTempFile(Path.of("/tmp"), "forkd-fake", ".sock");
    Files.delete(socket);
    return startOn(socket, handler);
  }

  public static FakeDaemon startOn(Path socket, Handler handler) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    FakeDaemon fake = new FakeDaemon(socket, server, handler);
    Thread.ofVirtual().start(fake::accept);
    return fake;
  }

  public Path socket() {
    return socket;
  }

  public Endpoint endpoint() {
    return Endpoint.unix(socket());
  }

  public List<Request> requests() {
    return requests;
  }

  public int connections() {
    return connections.get();
  }

  public void handler(Handler next) {
    handler = next;
  }

  /** What becomes of requests that would leave HTTP, which are not given to the handler then. */
  public void tunnel(Tunnel next) {
    tunnel = Optional.of(next);
  }

  /** A complete answer with a length. */
  public static String reply(int status, String headers, String body) {
    return "HTTP/1.1 %d Said\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s"
        .formatted(status, headers, body.getBytes(UTF_8).length, body);
  }

  /** The start of an answer in chunks of lines. */
  public static String linesHead() {
    return String.join(
        "\r\n",
        "HTTP/1.1 200 OK",
        "Content-Type: application/x-ndjson",
        "Transfer-Encoding: chunked",
        "",
        "");
  }

  public static String chunk(String text) {
    return "%x\r\n%s\r\n".formatted(text.getBytes(UTF_8).length, text);
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel channel = server.accept();
        open.add(channel);
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(channel));
      }
    } catch (IOException e) {
      return;
    }
  }

  private void serve(SocketChannel channel) {
    try (channel) {
      InputStream in = new BufferedInputStream(Channels.newInputStream(channel));
      OutputStream out = Channels.newOutputStream(channel);
      while (true) {
        Request request = read(in);
        requests.add(request);
        if (request.headers().containsKey("upgrade") && tunnel.isPresent()) {
          out.write(upgraded(request).getBytes(UTF_8));
          tunnel.get().serve(in, out);
          return;
        }
        if (!handler.answer(request, out)) {
          return;
        }
      }
    } catch (IOException e) {
      return;
    }
  }

  private static Request read(InputStream in) throws IOException {
    String[] first = line(in).split(" ");
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return new Request(first[0], first[1], headers, body(headers, in));
  }

  private static byte[] body(Map<String, String> headers, InputStream in) throws IOException {
    if (!headers.containsKey("transfer-encoding")) {
      return in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
      body.write(in.readNBytes(size));
      line(in);
    }
    line(in);
    return body.toByteArray();
  }

  private static int chunkSize(InputStream in) throws IOException {
    return Integer.parseInt(line(in), 16);
  }

  private static String upgraded(Request request) {
    String key = request.headers().getOrDefault("sec-websocket-key", "");
    return "HTTP/1.1 101 Said\r\nConnection: Upgrade\r\nUpgrade: %s\r\n%s\r\n"
        .formatted(
            request.headers().get("upgrade"),
            key.isEmpty() ? "" : "Sec-WebSocket-Accept: " + WebSocket.acceptance(key) + "\r\n");
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("hung up");
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(ISO_8859_1);
  }

  @Override
  public void close() {
    try {
      server.close();
      for (SocketChannel channel : open) {
        channel.close();
      }
      Files.deleteIfExists(socket());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

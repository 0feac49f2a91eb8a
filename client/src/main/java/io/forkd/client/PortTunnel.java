package io.forkd.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.forkd.base.Duplex;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A TCP connection to a port of a sandbox, through its daemon. */
public final class PortTunnel implements Duplex {
  private static final String PROTOCOL = "forkd-tcp";
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final int LARGEST_HEAD = 64 << 10;
  private static final int LARGEST_REASON = 1 << 20;

  private final Wire wire;
  private final InputStream input;

  private PortTunnel(Wire wire, InputStream input) {
    this.wire = wire;
    this.input = input;
  }

  /** Connects to the daemon and asks it for the port that the path names. */
  static PortTunnel open(Endpoint endpoint, String path) {
    Wire wire;
    try {
      wire = Wire.open(endpoint);
    } catch (IOException e) {
      throw ForkdClientException.unreachable(endpoint, e);
    }
    Thread guard = Thread.ofVirtual().name("tunnel-guard").start(() -> giveUpLater(wire));
    try {
      InputStream in = new BufferedInputStream(wire.input(), 32 << 10);
      wire.output().write(request(wire, endpoint, path).getBytes(ISO_8859_1));
      Reply reply = answer(in);
      if (reply.status() != 101) {
        throw new ForkdClientException(reply.status(), Requests.errorText(reply));
      }
      return new PortTunnel(wire, in);
    } catch (IOException e) {
      wire.close();
      throw ForkdClientException.broken("GET " + path, endpoint, e);
    } catch (ForkdClientException e) {
      wire.close();
      throw e;
    } finally {
      guard.interrupt();
    }
  }

  /** Waits end by a close, since not every socket knows timeouts. */
  private static void giveUpLater(Wire wire) {
    try {
      Thread.sleep(ANSWER_LIMIT);
      wire.close();
    } catch (InterruptedException e) {
      // The daemon has answered.
      return;
    }
  }

  private static String request(Wire wire, Endpoint endpoint, String path) {
    StringBuilder head = new StringBuilder(256);
    head.append("GET ").append(wire.basePath()).append(path).append(" HTTP/1.1\r\nHost: ");
    head.append(wire.host()).append("\r\n");
    endpoint.token().ifPresent(t -> head.append("Authorization: Bearer ").append(t).append("\r\n"));
    head.append("Connection: Upgrade\r\nUpgrade: ").append(PROTOCOL).append("\r\n\r\n");
    return head.toString();
  }

  private static Reply answer(InputStream in) throws IOException {
    String status = line(in);
    if (!status.matches("HTTP/1\\.[01] [1-9][0-9]{2}( .*)?")) {
      throw new IOException("the answer is not HTTP");
    }
    Map<String, String> headers = new HashMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = Math.max(0, line.indexOf(':'));
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    String length = headers.getOrDefault("content-length", "0");
    int size = length.matches("[0-9]{1,6}") ? Integer.parseInt(length) : LARGEST_REASON;
    return new Reply(Integer.parseInt(status.substring(9, 12)), headers, in.readNBytes(size));
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(80);
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the daemon closed the connection");
      }
      if (line.size() >= LARGEST_HEAD) {
        throw new IOException("a header line is longer than " + LARGEST_HEAD + " bytes");
      }
      line.write(next);
    }
    return line.toString(ISO_8859_1).stripTrailing();
  }

  @Override
  public InputStream input() {
    return input;
  }

  @Override
  public OutputStream output() {
    return wire.output();
  }

  @Override
  public void close() {
    wire.close();
  }
}

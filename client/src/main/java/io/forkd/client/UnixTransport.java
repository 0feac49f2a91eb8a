package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** HTTP/1.1 over a Unix socket, with connections kept for the next call. */
final class UnixTransport implements Transport {
  private static final int MOST_IDLE = 128;

  private final Endpoint.Unix endpoint;
  private final ConcurrentLinkedDeque<UnixConnection> idle = new ConcurrentLinkedDeque<>();

  UnixTransport(Endpoint.Unix endpoint) {
    this.endpoint = endpoint;
  }

  @Override
  public Reply send(Call call, Consumer<String> lines) {
    Deadline deadline = new Deadline(call.timeout(), call.streamed());
    UnixConnection kept = takeIdle();
    if (kept != null) {
      try {
        return exchange(kept, call, lines, deadline);
      } catch (StaleConnectionException e) {
        if (!call.repeatable()) {
          throw ForkdClientException.broken(call.toString(), endpoint, e);
        }
      } catch (IOException e) {
        throw ForkdClientException.broken(call.toString(), endpoint, e);
      }
    }
    UnixConnection fresh = connectAndSend(call, deadline);
    try {
      return receive(fresh, call, lines, deadline);
    } catch (IOException e) {
      fresh.close();
      throw ForkdClientException.broken(call.toString(), endpoint, e);
    }
  }

  private Reply exchange(
      UnixConnection connection, Call call, Consumer<String> lines, Deadline deadline)
      throws IOException {
    try {
      connection.write(encode(call), deadline);
    } catch (SocketException e) {
      connection.close();
      throw new StaleConnectionException(e);
    } catch (IOException e) {
      connection.close();
      throw e;
    }
    try {
      return receive(connection, call, lines, deadline);
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }

  /** Nothing was sent while knocking fails, so knocking again is safe for every call. */
  private UnixConnection connectAndSend(Call call, Deadline deadline) {
    for (int pause = 1; ; pause = Math.min(50, pause * 2)) {
      UnixConnection connection = null;
      try {
        connection = UnixConnection.open(endpoint.socket());
        connection.write(encode(call), deadline);
        return connection;
      } catch (IOException e) {
        if (connection != null) {
          connection.close();
        }
        if (deadline.passed() || !daemonIsOnlyBusy(e)) {
          throw ForkdClientException.unreachable(endpoint, e);
        }
        pause(pause, e);
      }
    }
  }

  /**
   * When more callers knock than the daemon's queue holds, the kernel says EAGAIN, which reaches us
   * as a plain SocketException with a text that depends on the locale.
   */
  private boolean daemonIsOnlyBusy(IOException e) {
    return e.getClass() == SocketException.class && Files.isWritable(endpoint.socket());
  }

  private void pause(int millis, IOException reason) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ForkdClientException.unreachable(endpoint, reason);
    }
  }

  private ByteBuffer encode(Call call) {
    StringBuilder head = new StringBuilder(256);
    head.append(call.method()).append(' ').append(call.path()).append(" HTTP/1.1\r\n");
    head.append("Host: localhost\r\nAccept: ").append(call.accept()).append("\r\n");
    endpoint.token().ifPresent(t -> head.append("Authorization: Bearer ").append(t).append("\r\n"));
    call.key().ifPresent(k -> head.append(Call.KEY_HEADER + ": ").append(k).append("\r\n"));
    byte[] body = call.body().orElse(new byte[0]);
    if (call.body().isPresent()) {
      head.append("Content-Type: application/json\r\n");
    }
    if (!call.method().equals("GET")) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    byte[] start = head.append("\r\n").toString().getBytes(UTF_8);
    return ByteBuffer.allocate(start.length + body.length).put(start).put(body).flip();
  }

  private Reply receive(
      UnixConnection connection, Call call, Consumer<String> lines, Deadline deadline)
      throws IOException {
    ByteSource source = connection.source(deadline);
    HttpHead head;
    do {
      head = HttpHead.read(firstLine(source), source);
    } while (head.status() / 100 == 1);
    int status = head.status();
    Map<String, String> headers = head.headers();
    HttpBody body = new HttpBody(source, head);
    byte[] whole = new byte[0];
    if (call.streamed() && Reply.isLines(status, headers)) {
      deliverLines(body, lines);
    } else {
      whole = body.readNBytes(Reply.LARGEST_BODY);
      if (body.read() >= 0) {
        throw new IOException("the answer is larger than " + Reply.LARGEST_BODY + " bytes");
      }
    }
    boolean close = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT).equals("close");
    keepOrClose(connection, body.leavesConnectionOpen() && !close);
    return new Reply(status, headers, whole);
  }

  private static String firstLine(ByteSource source) throws IOException {
    try {
      return source.readLine(HttpHead.LONGEST_LINE);
    } catch (EOFException | SocketException e) {
      throw new StaleConnectionException(e);
    }
  }

  private static void deliverLines(HttpBody body, Consumer<String> lines) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    byte[] buffer = new byte[8 << 10];
    for (int count = body.read(buffer, 0, buffer.length);
        count >= 0;
        count = body.read(buffer, 0, buffer.length)) {
      for (int i = 0; i < count; i++) {
        if (buffer[i] != '\n') {
          line.write(buffer[i]);
        } else if (line.size() > 0) {
          lines.accept(line.toString(UTF_8));
          line.reset();
        }
      }
      if (line.size() > Reply.LARGEST_BODY) {
        throw new IOException("a line is larger than " + Reply.LARGEST_BODY + " bytes");
      }
    }
    if (line.size() > 0) {
      lines.accept(line.toString(UTF_8));
    }
  }

  private @Nullable UnixConnection takeIdle() {
    while (true) {
      Optional<UnixConnection> next = Optional.ofNullable(idle.pollFirst());
      if (next.isEmpty() || next.get().reusable()) {
        return next.orElse(null);
      }
      next.get().close();
    }
  }

  private void keepOrClose(UnixConnection connection, boolean keep) {
    connection.used();
    if (keep && idle.size() < MOST_IDLE) {
      idle.addFirst(connection);
    } else {
      connection.close();
    }
  }

  @Override
  public void close() {
    for (UnixConnection next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
      next.close();
    }
  }

  /** A kept connection that turned out to be closed before any of the answer came. */
  private static final class StaleConnectionException extends IOException {
    StaleConnectionException(IOException cause) {
      super("the daemon closed the connection before it answered", cause);
    }
  }
}

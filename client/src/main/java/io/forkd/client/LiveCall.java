package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One HTTP exchange on a connection of its own, whose bodies travel as they come and are held
 * nowhere. Used by one thread, and closed by any.
 */
final class LiveCall implements Closeable {
  static final String BYTES = "application/octet-stream";
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(2);
  private static final int LARGEST_REASON = 1 << 20;

  private final Endpoint endpoint;
  private final String what;
  private final Wire wire;
  private final SilenceLimit silence;
  private final ByteSource source;
  private volatile boolean closed;

  private LiveCall(Endpoint endpoint, String what, Wire wire, boolean armed) {
    this.endpoint = endpoint;
    this.what = what;
    this.wire = wire;
    this.silence = new SilenceLimit(wire.input(), LONGEST_SILENCE, armed, wire::close);
    this.source = ByteSource.of(new BufferedInputStream(silence, 64 << 10));
  }

  /** Sends a request with a small body or none, and reads the head of an answer that is good. */
  static Answer send(
      Endpoint endpoint, String method, String path, String accept, Optional<JsonObject> body) {
    LiveCall call = open(endpoint, method, path, true);
    byte[] bytes = body.map(json -> json.toString().getBytes(UTF_8)).orElse(new byte[0]);
    String length =
        method.equals("GET")
            ? ""
            : "Content-Type: application/json\r\nContent-Length: %d\r\n".formatted(bytes.length);
    try {
      call.write(call.head(method, path, "Accept: %s\r\n%s".formatted(accept, length)));
      call.write(bytes);
      HttpHead head = HttpHead.read(call.source);
      return call.answer(head);
    } catch (IOException e) {
      throw call.broken(e);
    }
  }

  /**
   * Sends bytes as they come from a source and waits for the answer.
   *
   * @param size of all bytes, where it is known
   * @param patient whether the answer may take as long as it likes after the last byte
   */
  static Reply upload(
      Endpoint endpoint,
      String method,
      String path,
      String type,
      InputStream from,
      OptionalLong size,
      boolean patient) {
    try (LiveCall call = open(endpoint, method, path, false)) {
      UploadBody body = new UploadBody(call.wire.output(), size);
      String headers = "Content-Type: %s\r\n%s".formatted(type, body.header());
      try {
        call.write(call.head(method, path, headers));
        return call.exchange(body, from, patient);
      } catch (IOException e) {
        throw call.broken(e);
      }
    }
  }

  /** A daemon that refuses answers before it has heard all, so its answer is awaited meanwhile. */
  private Reply exchange(UploadBody body, InputStream from, boolean patient) throws IOException {
    EarlyAnswer early = EarlyAnswer.await(() -> HttpHead.read(source));
    body.send(from, early);
    if (!patient) {
      silence.arm();
    }
    HttpHead head = early.get();
    byte[] text = new HttpBody(source, head).readNBytes(LARGEST_REASON);
    Reply reply = new Reply(head.status(), head.headers(), text);
    if (!head.succeeded()) {
      throw new ForkdClientException(head.status(), Requests.errorText(reply));
    }
    return reply;
  }

  private static LiveCall open(Endpoint endpoint, String method, String path, boolean armed) {
    try {
      return new LiveCall(endpoint, method + " " + path, Wire.open(endpoint), armed);
    } catch (IOException e) {
      throw ForkdClientException.unreachable(endpoint, e);
    }
  }

  private byte[] head(String method, String path, String headers) {
    String head = wire.requestHead(method, path, endpoint.token()) + headers;
    return (head + "Connection: close\r\n\r\n").getBytes(UTF_8);
  }

  private void write(byte[] bytes) throws IOException {
    wire.output().write(bytes);
    wire.output().flush();
  }

  private Answer answer(HttpHead head) throws IOException {
    HttpBody body = new HttpBody(source, head);
    if (!head.succeeded()) {
      Reply reply = new Reply(head.status(), head.headers(), body.readNBytes(LARGEST_REASON));
      close();
      throw new ForkdClientException(head.status(), Requests.errorText(reply));
    }
    return new Answer(head, body, this);
  }

  /** What to throw when the connection failed. */
  ForkdClientException broken(IOException cause) {
    close();
    return ForkdClientException.broken(what, endpoint, cause);
  }

  boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    silence.close();
    wire.close();
  }

  /** A good answer, whose body is still to be read. */
  record Answer(HttpHead head, InputStream body, LiveCall call) implements Closeable {
    @Override
    public void close() {
      call.close();
    }
  }
}

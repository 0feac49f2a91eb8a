package io.forkd.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/** One request and its answer. Belongs to the virtual thread that handles the request. */
public final class Exchange {
  public static final int BODY_LIMIT = 1 << 20;

  /** How much of a body that is refused for its size is still read, so that the sender hears it. */
  private static final int DRAIN_LIMIT = 8 << 20;

  public static final String JSON_TYPE = "application/json";

  private final Request request;
  private final Response response;
  private final Endings endings;
  private Optional<Endings> sendersEndings = Optional.empty();
  private final Map<Class<?>, Object> notes = new HashMap<>();
  private Map<String, String> pathParameters = Map.of();
  private Optional<byte[]> body = Optional.empty();
  private Optional<Witness> witness = Optional.empty();

  /** Hears a complete answer before it is sent. */
  @FunctionalInterface
  public interface Witness {
    void answered(int status, byte[] body);
  }

  Exchange(Request request, Response response, Endings endings) {
    this.request = request;
    this.response = response;
    this.endings = endings;
  }

  /** The same as it is on the wire. */
  public RawExchange raw() {
    return new RawExchange(request, response, endings, sendersEndings);
  }

  /** Ends what would last for ever also when its sender may not go on. */
  public void endWith(Endings sender) {
    sendersEndings = Optional.of(sender);
  }

  public String method() {
    return request.getMethod();
  }

  /** The path as it was sent, still percent-encoded. */
  public String rawPath() {
    @Nullable String path = request.getHttpURI().getPath();
    return path == null ? "" : path;
  }

  /** Whether everybody reads the path in the same way. */
  public boolean hasPlainPath() {
    return !request.getHttpURI().hasViolations();
  }

  /** Whether the peer was let in by the permissions of the socket file. */
  public boolean overUnixSocket() {
    return request.getConnectionMetaData().getConnector() instanceof UnixDomainServerConnector;
  }

  /** The user at the other end of the Unix socket; empty over TCP, and when it cannot be told. */
  public OptionalLong peerUser() {
    return overUnixSocket() ? PeerUser.of(request) : OptionalLong.empty();
  }

  /** The address a request over TCP came from. */
  public String remoteAddress() {
    return Request.getRemoteAddr(request);
  }

  /** Where a request came from: an address, or {@code uid:0} for a user of this host. */
  public String remote() {
    if (!overUnixSocket()) {
      return remoteAddress();
    }
    OptionalLong user = peerUser();
    return user.isPresent() ? "uid:" + user.getAsLong() : "unix";
  }

  public int headerCount() {
    return request.getHeaders().size();
  }

  public Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  /** Every value sent for a header, so that a repeated one can be refused. */
  public List<String> headers(String name) {
    return request.getHeaders().getValuesList(name);
  }

  /** The first value of a query parameter. */
  public Optional<String> query(String name) {
    return Optional.ofNullable(parameters().getValue(name));
  }

  /** Every value of a query parameter. */
  public List<String> queries(String name) {
    return parameters().getValuesOrEmpty(name);
  }

  private Fields parameters() {
    try {
      return Request.extractQueryParameters(request);
    } catch (RuntimeException e) {
      throw new HttpProblem(400, "The query is malformed: percent-encode it as UTF-8.");
    }
  }

  /** Remembers something about this request, such as who sent it, for those who handle it next. */
  public <T> void note(Class<T> type, T value) {
    notes.put(type, value);
  }

  /** What was noted of that type. */
  public <T> Optional<T> noted(Class<T> type) {
    return Optional.ofNullable(notes.get(type)).map(type::cast);
  }

  public void pathParameters(Map<String, String> parameters) {
    pathParameters = Map.copyOf(parameters);
  }

  public String pathParameter(String name) {
    String value = pathParameters.get(name);
    if (value == null) {
      throw new IllegalArgumentException("The route has no parameter " + name);
    }
    return value;
  }

  /** The whole body; longer than {@link #BODY_LIMIT} or not arriving, it is a problem. */
  public byte[] body() {
    if (body.isEmpty()) {
      body = Optional.of(readBody());
    }
    return body.get();
  }

  private byte[] readBody() {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    long total = 0;
    // A byte now and then keeps the idle timeout away, and this thread busy.
    long deadline = System.nanoTime() + patience().toNanos();
    try (InputStream in = Content.Source.asInputStream(request)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        total += read;
        if (System.nanoTime() - deadline > 0) {
          throw new IOException("it took longer than %d s".formatted(patience().toSeconds()));
        }
        if (total <= BODY_LIMIT) {
          body.write(buffer, 0, read);
        } else if (total > DRAIN_LIMIT) {
          break;
        }
      }
    } catch (IOException e) {
      throw new HttpProblem(408, "The request's body did not arrive: %s.".formatted(e));
    }
    if (total > BODY_LIMIT) {
      throw new HttpProblem(
          413, "The request's body is larger than %d bytes: send less.".formatted(BODY_LIMIT));
    }
    return body.toByteArray();
  }

  /** How long a whole body may take, which is as long as the connection may be silent. */
  private Duration patience() {
    return Duration.ofMillis(request.getConnectionMetaData().getConnector().getIdleTimeout());
  }

  public void setHeader(String name, String value) {
    response.getHeaders().put(name, value);
  }

  /** A header set for the answer. */
  public Optional<String> answerHeader(String name) {
    return Optional.ofNullable(response.getHeaders().get(name));
  }

  /** Lets somebody hear the answer, unless it is a stream; empty for nobody any more. */
  public void witness(Optional<Witness> next) {
    witness = next;
  }

  public void respond(int status, JsonObject body) throws IOException {
    respond(status, JSON_TYPE, Json.bytes(body));
  }

  public void respond(int status, List<JsonObject> body) throws IOException {
    respond(status, JSON_TYPE, Json.bytes(body));
  }

  public void respond(int status, String contentType, byte[] body) throws IOException {
    witness.ifPresent(hears -> hears.answered(status, body));
    begin(status, contentType);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
    Content.Sink.write(response, true, ByteBuffer.wrap(body));
  }

  /** Answers without a body. */
  public void respondEmpty(int status) throws IOException {
    response.setStatus(status);
    Content.Sink.write(response, true, ByteBuffer.allocate(0));
  }

  /** Begins an answer whose length is not known; end it with {@link #endStream}. */
  public void beginStream(int status, String contentType) throws IOException {
    begin(status, contentType);
    Content.Sink.write(response, false, ByteBuffer.allocate(0));
  }

  private void begin(int status, String contentType) {
    response.setStatus(status);
    setHeader("Content-Type", contentType);
    setHeader("Cache-Control", "no-store");
    setHeader("X-Content-Type-Options", "nosniff");
  }

  /** Sends one line now; an {@link IOException} means that the client is gone. */
  public void streamLine(JsonObject line) throws IOException {
    byte[] json = Json.bytes(line);
    ByteBuffer buffer = ByteBuffer.allocate(json.length + 1).put(json).put((byte) '\n').flip();
    Content.Sink.write(response, false, buffer);
  }

  /** Sends some bytes now; an {@link IOException} means that the client is gone. */
  public void stream(byte[] bytes) throws IOException {
    Content.Sink.write(response, false, ByteBuffer.wrap(bytes));
  }

  public void endStream() throws IOException {
    Content.Sink.write(response, true, ByteBuffer.allocate(0));
  }

  /** Whether the status line is out, after which no other answer is possible. */
  public boolean committed() {
    return response.isCommitted();
  }

  public int status() {
    return response.getStatus();
  }

  /** Forgets headers set for an answer that will not be given. */
  public void reset() {
    response.reset();
  }

  /** The decoded parts of the path between its slashes. */
  public List<String> segments() {
    return rawSegments().stream().map(Exchange::decode).toList();
  }

  /** The parts of the path between its slashes as they were sent. */
  public List<String> rawSegments() {
    return List.of(rawPath().substring(Math.min(1, rawPath().length())).split("/", -1));
  }

  private static String decode(String segment) {
    if (segment.indexOf('%') < 0) {
      return segment;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(segment.length());
    byte[] raw = segment.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < raw.length; i++) {
      if (raw[i] != '%') {
        bytes.write(raw[i]);
        continue;
      }
      int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
      int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw new HttpProblem(400, "The path has a '%' that two hexadecimal digits do not follow.");
      }
      bytes.write(high << 4 | low);
      i += 2;
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return method() + " " + rawPath();
  }
}

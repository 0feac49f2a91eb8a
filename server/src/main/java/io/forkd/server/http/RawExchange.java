package io.forkd.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** A request and its answer as they are on the wire, for who passes them on. */
public final class RawExchange {
  private final Request request;
  private final Response response;
  private final Endings server;
  private final Optional<Endings> sender;

  /**
   * @param sender what ends with the rights of who sent the request
   */
  RawExchange(Request request, Response response, Endings server, Optional<Endings> sender) {
    this.request = request;
    this.response = response;
    this.server = server;
    this.sender = sender;
  }

  public boolean isHttp11() {
    return request.getConnectionMetaData().getHttpVersion().getVersion() >= 11;
  }

  public boolean secure() {
    return request.isSecure();
  }

  /** Every header, in the order it came. */
  public List<Header> headers() {
    return request.getHeaders().stream().map(RawExchange::header).toList();
  }

  private static Header header(HttpField field) {
    return new Header(field.getName(), Optional.ofNullable(field.getValue()).orElse(""));
  }

  /** What follows the question mark, as it was sent. */
  public Optional<String> query() {
    return Optional.ofNullable(request.getHttpURI().getQuery());
  }

  /** The length of the body that was announced; empty when it comes in chunks. */
  public OptionalLong bodyLength() {
    if (request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(Math.max(0, request.getLength()));
  }

  /** The body as it comes. The first read tells a client that waits to be asked to send it. */
  public InputStream body() {
    return Content.Source.asInputStream(request);
  }

  /** Ends the wait of whoever reads the body. */
  public void giveUpBody(IOException reason) {
    request.fail(reason);
  }

  /**
   * Begins an answer.
   *
   * @param length of what will be written; empty when it is not known
   */
  public void begin(int status, List<Header> headers, OptionalLong length) throws IOException {
    response.setStatus(status);
    put(headers);
    length.ifPresent(bytes -> response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes));
    Content.Sink.write(response, false, ByteBuffer.allocate(0));
  }

  /** Sends bytes now, waiting until the client takes them. */
  public void write(byte[] source, int offset, int length) throws IOException {
    Content.Sink.write(response, false, ByteBuffer.wrap(source, offset, length));
  }

  public void end() throws IOException {
    Content.Sink.write(response, true, ByteBuffer.allocate(0));
  }

  /**
   * Runs {@code end} when the server stops or the sender may not go on: an exchange that may last
   * for ever is not waited for.
   */
  public void endWithServer(Runnable end) {
    endWith(server, end);
    endWithSender(end);
  }

  /** Runs {@code end} when the sender may not go on. */
  public void endWithSender(Runnable end) {
    sender.ifPresent(endings -> endWith(endings, end));
  }

  private void endWith(Endings endings, Runnable end) {
    endings.add(end);
    Request.addCompletionListener(request, _ -> endings.remove(end));
  }

  /** Answers 101, after which the connection is the handler's. The request has no body. */
  public void upgrade(List<Header> headers, TunnelHandler handler) throws IOException {
    EndPoint endPoint = request.getTunnelSupport().getEndPoint();
    Request.addCompletionListener(
        request,
        failure -> {
          if (failure != null) {
            handler.abandon();
          }
        });
    response.setStatus(101);
    put(headers);
    Content.Sink.write(response, true, ByteBuffer.allocate(0));
    request.setAttribute(
        HttpStream.UPGRADE_CONNECTION_ATTRIBUTE,
        new TunnelConnection(
            endPoint,
            request.getComponents().getExecutor(),
            handler,
            Stream.concat(Stream.of(server), sender.stream()).toList()));
  }

  private void put(List<Header> headers) {
    Set<String> seen = new HashSet<>();
    for (Header header : headers) {
      if (seen.add(header.key())) {
        response.getHeaders().put(header.name(), header.value());
      } else {
        response.getHeaders().add(header.name(), header.value());
      }
    }
  }
}

package io.forkd.server;

import io.forkd.server.http.Exchange;
import io.forkd.server.http.Header;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.RawExchange;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a guest is asked in place of a client.
 *
 * <p>Each request gets a connection of its own, so that no guest and no client can make one
 * request's bytes be taken for another's.
 *
 * @param head up to and with the empty line
 * @param length of the body; empty when it goes in chunks
 * @param expectsContinue whether the client waits to be asked for the body
 * @param upgrade whether the client would leave HTTP
 */
record PortRequest(
    String method, byte[] head, OptionalLong length, boolean expectsContinue, boolean upgrade) {
  static PortRequest of(Exchange exchange, PortTarget target, String path) {
    RawExchange raw = exchange.raw();
    List<Header> received = raw.headers();
    OptionalLong length = bodyLength(raw, received);
    boolean bodiless = length.isPresent() && length.getAsLong() == 0;
    boolean upgrade = bodiless && raw.isHttp11() && asksForUpgrade(received);
    boolean expects = !bodiless && raw.isHttp11() && has(received, "expect", "100-continue");
    StringBuilder head = new StringBuilder(1024);
    head.append(method(exchange)).append(' ').append(HttpSyntax.targetPart(path));
    raw.query().ifPresent(query -> head.append('?').append(HttpSyntax.targetPart(query)));
    head.append(" HTTP/1.1\r\n");
    for (Header header : PortRequestHeaders.of(exchange, target)) {
      append(head, header);
    }
    if (upgrade) {
      append(head, new Header("Connection", "Upgrade"));
      received.stream().filter(h -> h.key().equals("upgrade")).forEach(h -> append(head, h));
    } else {
      append(head, new Header("Connection", "close"));
    }
    if (expects) {
      append(head, new Header("Expect", "100-continue"));
    }
    if (length.isEmpty()) {
      append(head, new Header("Transfer-Encoding", "chunked"));
    } else if (!bodiless || hasHeader(received, "content-length")) {
      append(head, new Header("Content-Length", Long.toString(length.getAsLong())));
    }
    byte[] bytes = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    return new PortRequest(exchange.method(), bytes, length, expects, upgrade);
  }

  boolean hasBody() {
    return length.isEmpty() || length.getAsLong() > 0;
  }

  private static String method(Exchange exchange) {
    if (!HttpSyntax.isToken(exchange.method())) {
      throw new HttpProblem(400, "The request's method is malformed: use one such as GET.");
    }
    return exchange.method();
  }

  private static OptionalLong bodyLength(RawExchange raw, List<Header> received) {
    List<String> encodings =
        received.stream()
            .filter(header -> header.key().equals("transfer-encoding"))
            .flatMap(header -> HttpSyntax.elements(header.value()).stream())
            .toList();
    if (!encodings.isEmpty() && (!raw.isHttp11() || hasHeader(received, "content-length"))) {
      throw new HttpProblem(
          400, "The request is malformed: its Transfer-Encoding contradicts the rest of it.");
    }
    if (!encodings.isEmpty() && !encodings.equals(List.of("chunked"))) {
      throw new HttpProblem(
          501, "The request's Transfer-Encoding is not known here: use chunked or a length.");
    }
    return raw.bodyLength();
  }

  /** HTTP/2 without TLS is not offered to guests; a client that suggests it goes on in HTTP/1.1. */
  private static boolean asksForUpgrade(List<Header> received) {
    return has(received, "connection", "upgrade")
        && received.stream()
            .filter(header -> header.key().equals("upgrade"))
            .flatMap(header -> HttpSyntax.elements(header.value()).stream())
            .anyMatch(protocol -> !protocol.equals("h2c"));
  }

  static boolean has(List<Header> headers, String name, String element) {
    return headers.stream()
        .filter(header -> header.key().equals(name))
        .anyMatch(header -> HttpSyntax.elements(header.value()).contains(element));
  }

  private static boolean hasHeader(List<Header> headers, String name) {
    return headers.stream().anyMatch(header -> header.key().equals(name));
  }

  private static void append(StringBuilder head, Header header) {
    if (!HttpSyntax.isToken(header.name()) || !HttpSyntax.isValue(header.value())) {
      throw new HttpProblem(400, "The request is malformed: a header has a forbidden character.");
    }
    head.append(header.name()).append(": ").append(header.value()).append("\r\n");
  }
}

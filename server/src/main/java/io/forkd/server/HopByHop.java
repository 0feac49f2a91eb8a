package io.forkd.server;

import io.forkd.server.http.Header;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The headers of a message that concern one connection and are not passed on (RFC 9110, 7.6.1). */
final class HopByHop {
  private static final Set<String> ALWAYS =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authentication-info",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  private final Set<String> names = new HashSet<>(ALWAYS);

  HopByHop(List<Header> message) {
    for (Header header : message) {
      if (header.key().equals("connection")) {
        names.addAll(HttpSyntax.elements(header.value()));
      }
    }
  }

  boolean contains(Header header) {
    return names.contains(header.key());
  }

  /** A name as programs see it that take {@code _} and {@code -} for the same. */
  static String folded(Header header) {
    return header.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

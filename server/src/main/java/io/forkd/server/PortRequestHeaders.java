package io.forkd.server;

import io.forkd.server.http.Exchange;
import io.forkd.server.http.Header;
import io.forkd.server.http.RawExchange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The headers of a client's request as a guest may see them. Guests are not trusted: what a client
 * shows to the daemon to be let in is never shown to one.
 */
final class PortRequestHeaders {
  private static final Set<String> KEPT_BACK =
      Set.of(
          "authorization",
          "x-api-key",
          "x-access-token",
          "e2b-traffic-access-token",
          "host",
          "content-length",
          "expect",
          "forwarded",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-prefix",
          "x-forwarded-proto",
          "x-real-ip");

  /** For a peer that came over the Unix socket and so is on this host. */
  private static final String LOCAL_PEER = "127.0.0.1";

  private PortRequestHeaders() {}

  static List<Header> of(Exchange exchange, PortTarget target) {
    RawExchange raw = exchange.raw();
    List<Header> received = raw.headers();
    HopByHop hopByHop = new HopByHop(received);
    Optional<String> host =
        received.stream().filter(h -> h.key().equals("host")).map(Header::value).findFirst();
    List<Header> sent = new ArrayList<>();
    sent.add(new Header("Host", target.authority()));
    for (Header header : received) {
      if (!hopByHop.contains(header) && !KEPT_BACK.contains(HopByHop.folded(header))) {
        rewritten(header, host, target).ifPresent(sent::add);
      }
    }
    sent.add(
        new Header(
            "X-Forwarded-For", exchange.overUnixSocket() ? LOCAL_PEER : exchange.remoteAddress()));
    sent.add(new Header("X-Forwarded-Proto", raw.secure() ? "https" : "http"));
    host.ifPresent(name -> sent.add(new Header("X-Forwarded-Host", name)));
    if (!target.prefix().isEmpty()) {
      sent.add(new Header("X-Forwarded-Prefix", target.prefix()));
    }
    return sent;
  }

  private static Optional<Header> rewritten(
      Header header, Optional<String> host, PortTarget target) {
    return switch (HopByHop.folded(header)) {
      case "cookie" -> cookies(header);
      case "origin" -> Optional.of(origin(header, host, target));
      default -> Optional.of(header);
    };
  }

  /** A page that the guest served is of the same origin as the guest, in the guest's eyes too. */
  private static Header origin(Header header, Optional<String> host, PortTarget target) {
    boolean own =
        host.isPresent()
            && (header.value().equalsIgnoreCase("http://" + host.get())
                || header.value().equalsIgnoreCase("https://" + host.get()));
    return own ? new Header(header.name(), "http://" + target.authority()) : header;
  }

  private static Optional<Header> cookies(Header header) {
    String rest =
        Arrays.stream(header.value().split(";", -1))
            .map(String::strip)
            .filter(cookie -> !cookie.toLowerCase(Locale.ROOT).startsWith("forkd"))
            .collect(Collectors.joining("; "));
    return rest.isEmpty() ? Optional.empty() : Optional.of(new Header(header.name(), rest));
  }
}

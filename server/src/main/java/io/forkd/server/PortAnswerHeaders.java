package io.forkd.server;

import io.forkd.server.http.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The headers of a guest's answer as its client may see them: places in the guest become places in
 * the API, and nothing in them reaches beyond the port they came from.
 */
final class PortAnswerHeaders {
  /** What would hold for the daemon as a whole, not for one port of one guest. */
  private static final Set<String> KEPT_BACK =
      Set.of(
          "content-length",
          "alt-svc",
          "clear-site-data",
          "service-worker-allowed",
          "strict-transport-security",
          "public-key-pins",
          // The daemon has given the answer one.
          "x-request-id");

  private static final String OPAQUE_ORIGIN =
      "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts";

  private static final Pattern ATTRIBUTE =
      Pattern.compile("(?i)\\s*(path|domain)\\s*(?:=\\s*(.*?)\\s*)?");

  private final PortPlaces places;

  PortAnswerHeaders(PortPlaces places) {
    this.places = places;
  }

  /**
   * @param proven whether it is known who sent the request. A page that was asked for without, by a
   *     browser, is denied the daemon's origin: it is the guest's page, and could ask the daemon
   *     for more.
   */
  List<Header> of(PortAnswer answer, boolean proven) {
    HopByHop hopByHop = new HopByHop(answer.headers());
    List<Header> shown = new ArrayList<>();
    for (Header header : answer.headers()) {
      if (!hopByHop.contains(header) && !KEPT_BACK.contains(header.key())) {
        shown.add(rewritten(header));
      }
    }
    if (!proven) {
      shown.add(new Header("Content-Security-Policy", OPAQUE_ORIGIN));
    }
    return shown;
  }

  private Header rewritten(Header header) {
    return switch (header.key()) {
      case "location", "content-location" ->
          new Header(header.name(), places.translated(header.value()));
      case "set-cookie" -> new Header(header.name(), cookie(header.value()));
      default -> header;
    };
  }

  /** A cookie that is sent back to this port alone. */
  private String cookie(String value) {
    StringBuilder cookie = new StringBuilder();
    String path = "/";
    for (String part : value.split(";", -1)) {
      Matcher attribute = ATTRIBUTE.matcher(part);
      if (cookie.isEmpty() || !attribute.matches()) {
        cookie.append(cookie.isEmpty() ? "" : ";").append(part);
      } else if (attribute.group(1).toLowerCase(Locale.ROOT).equals("path")) {
        String wanted = attribute.group(2);
        path = wanted != null && wanted.startsWith("/") ? wanted : "/";
      }
    }
    return cookie.append("; Path=").append(places.target().prefix()).append(path).toString();
  }
}

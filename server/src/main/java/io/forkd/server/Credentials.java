package io.forkd.server;

import io.forkd.server.http.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The secrets a request shows: as a bearer token, or in the header that E2B's clients use. */
final class Credentials {
  private static final String SCHEME = "bearer ";

  private Credentials() {}

  /** Each different one once; more than one means that the caller's intent cannot be told. */
  static List<String> in(Exchange exchange) {
    List<String> bearers = new ArrayList<>();
    for (String value : exchange.headers("Authorization")) {
      if (value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
        bearers.add(value.substring(SCHEME.length()).strip());
      } else {
        bearers.add("");
      }
    }
    return Stream.concat(
            bearers.stream(), exchange.headers("X-API-Key").stream().map(String::strip))
        .distinct()
        .toList();
  }
}

package io.forkd.server;

import io.forkd.base.Printable;
import io.forkd.server.http.Exchange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** What a request is about beyond what its path says: tags it sent, ids it was given. */
final class Subjects {
  private static final int MOST = 100;

  private final List<String> names = new ArrayList<>();

  private Subjects() {}

  static void note(Exchange exchange, Object name) {
    note(exchange, List.of(name));
  }

  static void note(Exchange exchange, Collection<?> names) {
    Subjects subjects =
        exchange
            .noted(Subjects.class)
            .orElseGet(
                () -> {
                  Subjects none = new Subjects();
                  exchange.note(Subjects.class, none);
                  return none;
                });
    for (Object name : names) {
      if (subjects.names.size() < MOST) {
        subjects.names.add(Printable.shorten(name.toString()));
      }
    }
  }

  static List<String> of(Exchange exchange) {
    return exchange.noted(Subjects.class).map(noted -> List.copyOf(noted.names)).orElse(List.of());
  }
}

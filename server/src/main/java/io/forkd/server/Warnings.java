package io.forkd.server;

import io.forkd.server.http.Exchange;
import java.util.ArrayList;
import java.util.List;

/** Wishes in a request that this daemon understands but cannot honour yet. */
record Warnings(List<String> unhonoured) {
  static final String HEADER = "Forkd-Warning";

  Warnings {
    unhonoured = List.copyOf(unhonoured);
  }

  /**
   * @param flags fields that ask for something when true
   * @param values fields that ask for something when present
   */
  static Warnings of(Fields fields, List<String> flags, List<String> values) {
    List<String> unhonoured = new ArrayList<>();
    for (String flag : flags) {
      if (fields.flag(flag)) {
        unhonoured.add(flag);
      }
    }
    for (String value : values) {
      if (fields.has(value)) {
        unhonoured.add(value);
      }
    }
    return new Warnings(unhonoured);
  }

  void addTo(Exchange exchange) {
    if (!unhonoured.isEmpty()) {
      exchange.setHeader(HEADER, "not honoured by this daemon: " + String.join(", ", unhonoured));
    }
  }
}

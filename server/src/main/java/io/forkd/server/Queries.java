package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;

/** The values in a request's query, checked. */
final class Queries {
  private Queries() {}

  static boolean flag(Exchange exchange, String name, boolean unlessSaid) {
    return switch (exchange.query(name).orElse(Boolean.toString(unlessSaid))) {
      case "true" -> true;
      case "false" -> false;
      default -> throw ForkdException.badRequest("%s in the query must be true or false.", name);
    };
  }
}

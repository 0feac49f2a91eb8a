package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;
import java.util.Optional;

/** The values in a request's query, checked. */
final class Queries {
  private Queries() {}

  /** A path or name in a guest that must be there. */
  static String required(Exchange exchange, String name) {
    return text(exchange, name)
        .orElseThrow(() -> ForkdException.badRequest("%s is missing in the query.", name));
  }

  /** A path or name in a guest; empty when there is none. */
  static Optional<String> text(Exchange exchange, String name) {
    Optional<String> text = exchange.query(name).filter(given -> !given.isEmpty());
    if (text.isPresent() && text.get().indexOf('\0') >= 0) {
      throw ForkdException.badRequest(
          "%s in the query contains a NUL character: leave it out.", name);
    }
    return text;
  }

  static Optional<Long> whole(Exchange exchange, String name, long least, long most) {
    return exchange.query(name).map(text -> whole(name, text, least, most));
  }

  private static long whole(String name, String text, long least, long most) {
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The same as one that is out of range.
    }
    throw ForkdException.badRequest(
        "%s in the query must be a whole number from %d to %d.", name, least, most);
  }

  static boolean flag(Exchange exchange, String name, boolean unlessSaid) {
    return switch (exchange.query(name).orElse(Boolean.toString(unlessSaid))) {
      case "true" -> true;
      case "false" -> false;
      default -> throw ForkdException.badRequest("%s in the query must be true or false.", name);
    };
  }
}

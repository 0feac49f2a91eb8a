package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Pages of a list that is sorted: the token of the next one says where this one ended. */
final class Paging {
  private static final String NEXT = "x-next-token";
  private static final int USUAL = 100;
  private static final Pattern TOKEN = Pattern.compile("([0-9]{1,9}):(.+)");

  private Paging() {}

  /**
   * Answers with the page that was asked for.
   *
   * @param all sorted, and with keys that differ
   */
  static <T> void respond(
      Exchange exchange, List<T> all, Function<T, String> key, Function<T, JsonObject> shape)
      throws IOException {
    int from = exchange.query("nextToken").map(token -> after(all, key, token)).orElse(0);
    int to = Math.min(all.size(), from + limit(exchange));
    if (to < all.size()) {
      exchange.setHeader(NEXT, token(to, key.apply(all.get(to - 1))));
    }
    exchange.respond(200, all.subList(from, to).stream().map(shape).toList());
  }

  /** Where a list goes on; when what was last has gone meanwhile, about there. */
  private static <T> int after(List<T> all, Function<T, String> key, String token) {
    Matcher parts = TOKEN.matcher(decoded(token));
    if (!parts.matches()) {
      throw ForkdException.badRequest("nextToken is none: send one that a list came with.");
    }
    for (int i = 0; i < all.size(); i++) {
      if (key.apply(all.get(i)).equals(parts.group(2))) {
        return i + 1;
      }
    }
    return Math.min(Integer.parseInt(parts.group(1)), all.size());
  }

  private static String token(int next, String key) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString((next + ":" + key).getBytes(StandardCharsets.UTF_8));
  }

  private static String decoded(String token) {
    try {
      return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  private static int limit(Exchange exchange) {
    String text = exchange.query("limit").orElse(String.valueOf(USUAL));
    int limit = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
    if (limit < 1) {
      throw ForkdException.badRequest("limit in the query must be 1 or more.");
    }
    return Math.min(limit, USUAL);
  }
}

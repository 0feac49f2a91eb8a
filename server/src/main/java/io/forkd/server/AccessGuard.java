package io.forkd.server;

import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Decides who may talk to the daemon: whoever the socket file's permissions let in, or whoever
 * holds the token; without a token, programs on this host but not web pages in its browsers.
 */
final class AccessGuard {
  private static final Pattern LOOPBACK_HOST =
      Pattern.compile(
          "(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);
  private static final String SCHEME = "bearer ";

  private final Optional<Token> token;

  AccessGuard(Optional<Token> token) {
    this.token = token;
  }

  /**
   * Lets a request in and notes whose it is, or refuses it.
   *
   * @param operation none means that the path leads nowhere
   */
  void check(Exchange exchange, Optional<Operation> operation) {
    exchange.note(Principal.class, Principal.unbound("admin", Role.ADMIN));
    if (exchange.overUnixSocket()) {
      return;
    }
    if (token.isEmpty()) {
      refuseBrowsers(exchange);
    } else if (!isOpen(operation) && !authorized(exchange, token.get())) {
      throw new HttpProblem(
          401,
          "No valid token came with the request: send 'Authorization: Bearer <token>' with the"
              + " token in the file the daemon was started with.",
          Map.of("WWW-Authenticate", "Bearer"));
    }
  }

  private static boolean isOpen(Optional<Operation> operation) {
    return operation.isPresent() && operation.get().role().isEmpty();
  }

  private static boolean authorized(Exchange exchange, Token token) {
    List<String> values = exchange.headers("Authorization");
    if (values.size() != 1) {
      return false;
    }
    String value = values.getFirst();
    return value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && token.matches(value.substring(SCHEME.length()).strip());
  }

  /** A page may send requests to loopback, by name tricks or plainly, but it cannot hide that. */
  private static void refuseBrowsers(Exchange exchange) {
    Optional<String> host = exchange.header("Host");
    boolean foreignHost = host.isPresent() && !LOOPBACK_HOST.matcher(host.get()).matches();
    if (foreignHost || exchange.header("Origin").isPresent()) {
      throw new HttpProblem(
          403,
          "A daemon without a token takes no requests from web pages or for other host names:"
              + " start it with --token-file, or use 127.0.0.1.");
    }
  }
}

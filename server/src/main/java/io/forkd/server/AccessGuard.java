package io.forkd.server;

import io.forkd.base.Printable;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import java.util.Map;
import java.util.Optional;

/** Decides who may call what, and how often. */
final class AccessGuard {
  private static final int MOST_HEADERS = 100;

  private final Principals principals;
  private final ApiKeys keys;
  private final Throttle throttle;

  AccessGuard(Principals principals, ApiKeys keys, Throttle throttle) {
    this.principals = principals;
    this.keys = keys;
    this.throttle = throttle;
  }

  /**
   * Refuses who may not call the operation, and notes who calls it.
   *
   * @param operation none means that the path leads nowhere, which strangers are not told
   * @return to be closed when the request is answered
   */
  Throttle.Pass check(Exchange exchange, Optional<Operation> operation) {
    refuseManyHeaders(exchange);
    Optional<Principal> caller = principals.of(exchange);
    boolean open = operation.isPresent() && operation.get().role().isEmpty();
    if (caller.isEmpty()) {
      if (open) {
        return Throttle.FREE_PASS;
      }
      throttle.stranger(exchange.remoteAddress());
      throw unknown();
    }
    Throttle.Pass pass = admit(exchange, caller.get());
    try {
      operation.flatMap(Operation::role).ifPresent(role -> require(caller.get(), role, exchange));
      return pass;
    } catch (HttpProblem e) {
      pass.close();
      throw e;
    }
  }

  /** Lets in who proved what it may do, for as long as the key holds by which it did. */
  Throttle.Pass admit(Exchange exchange, Principal principal) {
    exchange.note(Principal.class, principal);
    principal.key().map(keys::endings).ifPresent(exchange::endWith);
    return throttle.enter(principal, exchange.overUnixSocket());
  }

  /** Counts a request that showed no valid proof. */
  HttpProblem stranger(Exchange exchange, String message) {
    throttle.stranger(exchange.remoteAddress());
    return new HttpProblem(401, message);
  }

  static void refuseManyHeaders(Exchange exchange) {
    if (exchange.headerCount() > MOST_HEADERS) {
      throw new HttpProblem(
          431, "The request has more than %d header lines: send less.".formatted(MOST_HEADERS));
    }
  }

  private static HttpProblem unknown() {
    return new HttpProblem(
        401,
        "No valid token came with the request: send 'Authorization: Bearer <token>' with the"
            + " token in the file the daemon was started with, or with an API key.",
        Map.of("WWW-Authenticate", "Bearer"));
  }

  private static void require(Principal caller, Role needed, Exchange exchange) {
    if (!caller.role().covers(needed)) {
      throw new HttpProblem(
          403,
          "%s needs the role %s, and %s has the role %s: use a key with that role."
              .formatted(
                  Printable.shorten(exchange.toString()),
                  needed.text(),
                  caller.name(),
                  caller.role().text()));
    }
  }
}

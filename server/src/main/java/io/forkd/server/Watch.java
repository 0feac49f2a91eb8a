package io.forkd.server;

import io.forkd.base.Printable;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Sees every request when it is answered: counts it, and writes down those that must be. */
final class Watch {
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

  private final Meters meters;
  private final AuditLog audit;

  Watch(Meters meters, AuditLog audit) {
    this.meters = meters;
    this.audit = audit;
  }

  /** Called once for each request, whatever became of it. */
  void answered(Exchange exchange, Optional<Router.Match> match, long startNanos) {
    Optional<Operation> operation = match.map(Router.Match::operation);
    meters.request(exchange, operation, startNanos);
    boolean refused = isRefusal(exchange.status());
    if (refused || operation.map(known -> changes(exchange, known)).orElse(false)) {
      double ms = (System.nanoTime() - startNanos) / 1e6;
      boolean stranger = exchange.noted(Principal.class).isEmpty();
      audit.write(line(exchange, match, ms), refused && stranger);
    }
  }

  /** Of what is passed on to a guest, reading is no change, but a tunnel may be anything. */
  private static boolean changes(Exchange exchange, Operation operation) {
    boolean reading =
        operation.method().equals(Operation.ANY_METHOD)
            && READING.contains(exchange.method())
            && exchange.header("Upgrade").isEmpty();
    return operation.changes() && !reading;
  }

  private static boolean isRefusal(int status) {
    return status == 401 || status == 403 || status == 429;
  }

  /** Names and outcomes only: no header, no query and no body may carry a secret into the log. */
  private static JsonObject line(Exchange exchange, Optional<Router.Match> match, double ms) {
    Optional<Principal> principal = exchange.noted(Principal.class);
    return Json.object()
        .with("time", Instant.now())
        .withOptional("request_id", exchange.noted(RequestId.class))
        .withOptional("principal", principal.map(Principal::name))
        .withOptional("role", principal.map(Principal::role).map(Role::text))
        .withOptional("owner", principal.flatMap(Principal::owner))
        .with("remote", exchange.remote())
        .with("method", Printable.shorten(exchange.method()))
        .withOptional("route", match.map(found -> found.operation().template()))
        .with("subjects", subjects(exchange, match))
        .with("status", exchange.status())
        .with("ms", Math.round(ms * 1000) / 1000.0)
        .withOptional("error", exchange.noted(Mishap.class).map(Mishap::code));
  }

  private static List<String> subjects(Exchange exchange, Optional<Router.Match> match) {
    List<String> subjects = new ArrayList<>();
    Map<String, String> named = new TreeMap<>(match.map(Router.Match::parameters).orElse(Map.of()));
    // What is meant for a program in a guest is not ours to write down.
    named.remove("rest");
    named.values().forEach(value -> subjects.add(Printable.shorten(value)));
    subjects.addAll(Subjects.of(exchange));
    return subjects;
  }
}

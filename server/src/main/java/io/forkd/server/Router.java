package io.forkd.server;

import io.forkd.base.Printable;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpHandler;
import io.forkd.server.http.HttpProblem;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** All operations of the API; finds the one a request is for. */
final class Router {
  /** By {@link Route#order}, so that the first that fits is the one that is meant. */
  private final SortedMap<String, Route> routes = new TreeMap<>();

  /** What a request is for, and what its path says. */
  record Match(Operation operation, Map<String, String> parameters, HttpHandler handler) {
    void run(Exchange exchange) throws IOException {
      exchange.pathParameters(parameters);
      handler.handle(exchange);
    }
  }

  Router add(Operation operation, HttpHandler handler) {
    Route route = new Route(operation, handler);
    if (routes.putIfAbsent(route.order(), route) != null) {
      throw new IllegalArgumentException("There are two routes for " + operation);
    }
    return this;
  }

  /** Everything the API can do. */
  List<Operation> operations() {
    return routes.values().stream().map(Route::operation).toList();
  }

  /** Empty when there is no such operation; {@link #refusal} then says what is wrong. */
  Optional<Match> find(Exchange exchange) {
    List<String> segments;
    try {
      segments = exchange.segments();
    } catch (HttpProblem e) {
      return Optional.empty();
    }
    // HEAD is GET whose body is not sent.
    String method = exchange.method().equals("HEAD") ? "GET" : exchange.method();
    boolean plain = exchange.hasPlainPath();
    for (Route route : routes.values()) {
      Optional<Map<String, String>> parameters = route.match(segments, exchange.rawSegments());
      if (parameters.isPresent() && route.takes(method) && (plain || route.takesAnyPath())) {
        return Optional.of(new Match(route.operation(), parameters.get(), route.handler()));
      }
    }
    return Optional.empty();
  }

  /** Why a request is for no operation. */
  HttpProblem refusal(Exchange exchange) {
    List<String> segments = exchange.segments();
    if (!exchange.hasPlainPath()) {
      return new HttpProblem(
          400, "The path is malformed or ambiguous: encode each segment, and only what must be.");
    }
    SortedSet<String> allowed = new TreeSet<>();
    for (Route route : routes.values()) {
      if (route.match(segments, exchange.rawSegments()).isPresent()) {
        allowed.add(route.operation().method());
      }
    }
    String path = Printable.shorten(exchange.rawPath());
    if (allowed.isEmpty()) {
      return new HttpProblem(404, "There is no route %s: docs/api.md lists them.".formatted(path));
    }
    if (allowed.contains("GET")) {
      allowed.add("HEAD");
    }
    String allow = String.join(", ", allowed);
    return new HttpProblem(
        405,
        "%s does not take %s: use %s.".formatted(path, Printable.shorten(exchange.method()), allow),
        Map.of("Allow", allow));
  }
}

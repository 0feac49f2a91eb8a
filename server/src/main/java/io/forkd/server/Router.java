package io.forkd.server;

import io.forkd.base.Printable;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpHandler;
import io.forkd.server.http.HttpProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Finds the handler for a method and a path. */
final class Router implements HttpHandler {
  private final List<Route> routes = new ArrayList<>();

  /**
   * Adds a route.
   *
   * @param template a path whose segments are literal or, as in {@code /v1/snapshots/{tag}}, named
   */
  Router on(String method, String template, HttpHandler handler) {
    routes.add(new Route(method, List.of(template.substring(1).split("/", -1)), handler));
    return this;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    List<String> segments = exchange.segments();
    // HEAD is GET whose body is not sent.
    String method = exchange.method().equals("HEAD") ? "GET" : exchange.method();
    SortedSet<String> allowed = new TreeSet<>();
    for (Route route : routes) {
      Optional<Map<String, String>> parameters = route.match(segments);
      if (parameters.isEmpty()) {
        continue;
      }
      if (route.method().equals(method)) {
        exchange.pathParameters(parameters.get());
        route.handler().handle(exchange);
        return;
      }
      allowed.add(route.method());
    }
    throw refusal(exchange, allowed);
  }

  private static HttpProblem refusal(Exchange exchange, SortedSet<String> allowed) {
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

  private record Route(String method, List<String> template, HttpHandler handler) {
    Optional<Map<String, String>> match(List<String> segments) {
      if (segments.size() != template.size()) {
        return Optional.empty();
      }
      Map<String, String> parameters = new HashMap<>();
      for (int i = 0; i < template.size(); i++) {
        String expected = template.get(i);
        if (expected.startsWith("{")) {
          parameters.put(expected.substring(1, expected.length() - 1), segments.get(i));
        } else if (!expected.equals(segments.get(i))) {
          return Optional.empty();
        }
      }
      return Optional.of(parameters);
    }
  }
}

package io.forkd.server;

import io.forkd.server.http.HttpHandler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An operation and who answers it. */
final class Route {
  private final Operation operation;
  private final HttpHandler handler;
  private final List<String> template;
  private final boolean tailed;

  Route(Operation operation, HttpHandler handler) {
    this.operation = operation;
    this.handler = handler;
    this.template = List.of(operation.template().substring(1).split("/", -1));
    this.tailed = template.getLast().endsWith("...}");
  }

  Operation operation() {
    return operation;
  }

  HttpHandler handler() {
    return handler;
  }

  /** Whether it takes paths that are read in more than one way, since others read its tail. */
  boolean takesAnyPath() {
    return tailed;
  }

  boolean takes(String method) {
    return operation.method().equals(Operation.ANY_METHOD) || operation.method().equals(method);
  }

  /**
   * The named segments of a path, if it fits.
   *
   * @param segments decoded
   * @param raw the same as they were sent: a tail is meant for somebody else, who decodes it
   */
  Optional<Map<String, String>> match(List<String> segments, List<String> raw) {
    int fixed = tailed ? template.size() - 1 : template.size();
    if (tailed ? segments.size() <= fixed : segments.size() != fixed) {
      return Optional.empty();
    }
    Map<String, String> parameters = new HashMap<>();
    for (int i = 0; i < fixed; i++) {
      String expected = template.get(i);
      if (isNamed(expected)) {
        parameters.put(name(expected), segments.get(i));
      } else if (!expected.equals(segments.get(i))) {
        return Optional.empty();
      }
    }
    if (tailed) {
      parameters.put(name(template.getLast()), String.join("/", raw.subList(fixed, raw.size())));
    }
    return Optional.of(parameters);
  }

  /** The names in a template, in order. */
  static List<String> names(String template) {
    return List.of(template.substring(1).split("/", -1)).stream()
        .filter(Route::isNamed)
        .map(Route::name)
        .toList();
  }

  private static boolean isNamed(String segment) {
    return segment.startsWith("{");
  }

  private static String name(String segment) {
    return segment.substring(1, segment.length() - (segment.endsWith("...}") ? 4 : 1));
  }

  /**
   * Sorts what is more particular first: a literal before a name, a name before a tail. Routes that
   * take the same requests have the same.
   */
  String order() {
    StringBuilder order = new StringBuilder();
    for (String segment : template) {
      order.append(segment.endsWith("...}") ? "~" : isNamed(segment) ? "}" : " " + segment);
      order.append('/');
    }
    boolean any = operation.method().equals(Operation.ANY_METHOD);
    return order.append('\t').append(any ? "~" : operation.method()).toString();
  }
}

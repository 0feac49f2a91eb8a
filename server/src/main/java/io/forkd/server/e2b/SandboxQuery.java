package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxState;
import io.forkd.server.http.Exchange;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Which sandboxes a list is to show, and in which order. */
record SandboxQuery(
    Map<String, String> metadata,
    Set<String> states,
    Optional<Instant> startedAfter,
    Optional<String> template,
    boolean oldestFirst) {

  static SandboxQuery of(Exchange exchange, String usualStates) {
    return new SandboxQuery(
        exchange.query("metadata").map(SandboxQuery::metadata).orElse(Map.of()),
        exchange.queries("state").isEmpty()
            ? Set.of(usualStates.split(",", -1))
            : exchange.queries("state").stream()
                .flatMap(text -> Arrays.stream(text.split(",", -1)))
                .collect(Collectors.toUnmodifiableSet()),
        exchange.query("startedAfter").map(SandboxQuery::instant),
        exchange.query("template"),
        exchange.query("order").orElse("desc").equals("asc"));
  }

  /** The clients encode each name and value before they encode the pairs as a form. */
  private static Map<String, String> metadata(String form) {
    Map<String, String> pairs = new HashMap<>();
    for (String pair : form.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (!pair.isEmpty()) {
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        pairs.put(decode(decode(name)), decode(decode(value)));
      }
    }
    return pairs;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw ForkdException.badRequest("metadata in the query is not percent-encoded.");
    }
  }

  private static Instant instant(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw ForkdException.badRequest("startedAfter in the query is no time: use ISO 8601.");
    }
  }

  List<Sandbox> of(List<Sandbox> all) {
    Comparator<Sandbox> order = Comparator.comparing(Sandbox::createdAt).thenComparing(Sandbox::id);
    return all.stream()
        .filter(this::covers)
        .sorted(oldestFirst ? order : order.reversed())
        .toList();
  }

  private boolean covers(Sandbox sandbox) {
    String state = sandbox.state() == SandboxState.PAUSED ? "paused" : "running";
    return states.contains(state)
        && startedAfter.map(sandbox.createdAt()::isAfter).orElse(true)
        && template
            .map(
                name ->
                    name.equals(SandboxShapes.template(sandbox))
                        || name.equals(sandbox.snapshotTag().value()))
            .orElse(true)
        && Labels.metadata(sandbox.given().labels()).entrySet().containsAll(metadata.entrySet());
  }
}

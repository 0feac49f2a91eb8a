package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxState;
import io.forkd.server.http.Exchange;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which sandboxes a list is to show.
 *
 * @param labels all of which a sandbox must have
 */
record SandboxFilter(List<Map.Entry<String, String>> labels, Optional<SandboxState> state)
    implements Predicate<Sandbox> {

  /** From the query: {@code label=name=value}, as often as wanted, and {@code state=running}. */
  static SandboxFilter of(Exchange exchange) {
    return new SandboxFilter(
        exchange.queries("label").stream().map(SandboxFilter::label).toList(),
        exchange
            .query("state")
            .flatMap(word -> new Fields(Map.of("state", word)).oneOf("state", SandboxState.class)));
  }

  private static Map.Entry<String, String> label(String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw ForkdException.badRequest("label in the query must be name=value.");
    }
    return Map.entry(text.substring(0, equals), text.substring(equals + 1));
  }

  @Override
  public boolean test(Sandbox sandbox) {
    return state.filter(wanted -> wanted != sandbox.state()).isEmpty()
        && sandbox.given().labels().entrySet().containsAll(labels);
  }
}

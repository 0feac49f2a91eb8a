package io.forkd.server;

import io.forkd.server.http.Exchange;
import java.util.Optional;

/**
 * Who sends a request.
 *
 * @param name what logs and audits call it
 * @param role how much it may do
 * @param owner whose things it works with; empty means it is bound to nobody's
 * @param key the id of the key by which it is let in, if it is one
 */
public record Principal(String name, Role role, Optional<String> owner, Optional<String> key) {
  /** One that is let in without a key. */
  public Principal(String name, Role role, Optional<String> owner) {
    this(name, role, owner, Optional.empty());
  }

  /** Who sent a request, once the guard has let it in. */
  static Principal of(Exchange exchange) {
    return exchange
        .noted(Principal.class)
        .orElseThrow(() -> new IllegalStateException("nobody was named for " + exchange));
  }

  /** A principal that is bound to no owner. */
  public static Principal unbound(String name, Role role) {
    return new Principal(name, role, Optional.empty());
  }
}

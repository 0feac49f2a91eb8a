package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.SandboxId;
import io.forkd.server.http.Exchange;

/**
 * A port of a sandbox, as a request names it.
 *
 * @param prefix where the port's root is found in the API, without a slash at its end; empty for a
 *     port that has a host of its own
 */
record PortTarget(SandboxId sandbox, int port, String prefix) {
  static PortTarget of(Exchange exchange) {
    return of(PathNames.sandbox(exchange), port(exchange.pathParameter("port")));
  }

  /** A port below the API's path of its sandbox. */
  static PortTarget of(SandboxId sandbox, int port) {
    return new PortTarget(sandbox, port, "/v1/sandboxes/%s/ports/%d".formatted(sandbox, port));
  }

  /** A port that has a host of its own. */
  static PortTarget ofHost(SandboxId sandbox, int port) {
    return new PortTarget(sandbox, port(String.valueOf(port)), "");
  }

  private static int port(String text) {
    if (text.matches("[1-9][0-9]{0,4}") && Integer.parseInt(text) <= 65535) {
      return Integer.parseInt(text);
    }
    throw ForkdException.badRequest(
        "'%s' is not a port: use a number from 1 to 65535.", Printable.shorten(text));
  }

  /** What the guest takes itself for. */
  String authority() {
    return "localhost:" + port;
  }

  @Override
  public String toString() {
    return "port %d of %s".formatted(port, sandbox);
  }
}

package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.SandboxId;
import io.forkd.server.http.Exchange;

/** A port of a sandbox, as a request's path names it. */
record PortTarget(SandboxId sandbox, int port) {
  static PortTarget of(Exchange exchange) {
    return new PortTarget(PathNames.sandbox(exchange), port(exchange.pathParameter("port")));
  }

  private static int port(String text) {
    if (text.matches("[1-9][0-9]{0,4}") && Integer.parseInt(text) <= 65535) {
      return Integer.parseInt(text);
    }
    throw ForkdException.badRequest(
        "'%s' is not a port: use a number from 1 to 65535.", Printable.shorten(text));
  }

  /** Where the port's root is found in the API, without a slash at its end. */
  String prefix() {
    return "/v1/sandboxes/%s/ports/%d".formatted(sandbox, port);
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

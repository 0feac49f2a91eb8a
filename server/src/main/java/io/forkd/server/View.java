package io.forkd.server;

import io.forkd.core.Forkd;
import io.forkd.guest.Inside;
import io.forkd.server.http.Exchange;

/** The core as the sender of a request may see and use it. */
@FunctionalInterface
interface View {
  Forkd of(Exchange exchange);

  /** The inside of the sandbox that the request's path names. */
  default Inside inside(Exchange exchange) {
    return of(exchange).inside(PathNames.sandbox(exchange));
  }
}

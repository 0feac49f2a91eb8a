package io.forkd.server;

import io.forkd.core.Forkd;
import io.forkd.server.http.Exchange;

/** The core as the sender of a request may see and use it. */
@FunctionalInterface
interface View {
  Forkd of(Exchange exchange);
}

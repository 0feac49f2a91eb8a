package io.forkd.server;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.server.http.Exchange;

/** The tags and sandbox ids in a request's path, validated. */
final class PathNames {
  private PathNames() {}

  static Tag tag(Exchange exchange) {
    return Tag.of(exchange.pathParameter("tag"));
  }

  static SandboxId sandbox(Exchange exchange) {
    return SandboxId.of(exchange.pathParameter("id"));
  }
}

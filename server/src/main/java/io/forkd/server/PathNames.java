package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.ProcessRef;
import io.forkd.server.http.Exchange;

/** The tags and sandbox ids in a request's path, validated. */
final class PathNames {
  static final long LARGEST_PID = 4_194_304;

  private PathNames() {}

  /** A process in a guest. */
  static ProcessRef.Pid process(Exchange exchange) {
    try {
      long pid = Long.parseLong(exchange.pathParameter("pid"));
      if (pid >= 1 && pid <= LARGEST_PID) {
        return new ProcessRef.Pid(pid);
      }
    } catch (NumberFormatException e) {
      // The same as one that cannot be.
    }
    throw ForkdException.badRequest(
        "A process is named by its number, 1 to %d, as GET processes lists it.", LARGEST_PID);
  }

  static Tag tag(Exchange exchange) {
    return Tag.of(exchange.pathParameter("tag"));
  }

  static SandboxId sandbox(Exchange exchange) {
    return SandboxId.of(exchange.pathParameter("id"));
  }
}

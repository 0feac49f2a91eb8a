package io.forkd.server;

import io.forkd.core.Event;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import java.util.Optional;

/**
 * What a principal may see: everything, or its owner's things and the snapshots that are
 * everybody's.
 */
final class Sight {
  private final Optional<String> owner;
  private final boolean everything;

  private Sight(Optional<String> owner, boolean everything) {
    this.owner = owner;
    this.everything = everything;
  }

  static Sight of(Principal principal) {
    boolean everything =
        switch (principal.role()) {
          case ADMIN, OPERATOR -> true;
          case USER -> false;
          case READ_ONLY -> principal.owner().isEmpty();
        };
    return new Sight(principal.owner(), everything);
  }

  boolean everything() {
    return everything;
  }

  /** Whether what belongs to {@code whose} is this principal's to see and change. */
  boolean covers(Optional<String> whose) {
    return everything || (owner.isPresent() && owner.equals(whose));
  }

  boolean covers(Sandbox sandbox) {
    return covers(sandbox.given().owner());
  }

  boolean covers(Event event) {
    return covers(event.owner());
  }

  /** Snapshots of nobody are there for everybody to fork. */
  boolean sees(Snapshot snapshot) {
    return snapshot.owner().isEmpty() || covers(snapshot.owner());
  }
}

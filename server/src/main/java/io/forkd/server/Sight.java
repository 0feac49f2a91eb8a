package io.forkd.server;

import io.forkd.core.Event;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a principal may see: everything, or its owner's things and the snapshots that are
 * everybody's.
 */
final class Sight {
  /** The tags of paused sandboxes and suspended workspaces, which nobody meant to share. */
  private static final Pattern STATE = Pattern.compile("pause-sb-.*|ws-.*-state");

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

  /** Snapshots of nobody are there for everybody to fork, unless they hold a sandbox on disk. */
  boolean sees(Snapshot snapshot) {
    boolean shared = snapshot.owner().isEmpty() && !STATE.matcher(snapshot.tag().value()).matches();
    return shared || covers(snapshot.owner());
  }
}

package io.forkd.server.e2b;

import io.forkd.base.SandboxId;
import io.forkd.guest.FileTree;
import io.forkd.guest.Inside;
import java.util.Optional;

/**
 * A request's view of the sandbox it is for.
 *
 * @param user whom it names; empty means the sandbox's usual one
 */
record Session(SandboxId id, Inside inside, Optional<String> user, Users users) {
  /** The user as the agent takes it: empty means root. */
  Optional<String> actor() {
    return Optional.of(user.orElseGet(() -> users.usual(id, inside)))
        .filter(name -> !name.equals(Users.ROOT));
  }

  FileTree files() {
    return inside.files(actor());
  }
}

package io.forkd.server;

import java.util.Locale;
import java.util.Optional;

/** How much a principal may do; each role may do all that the ones before it may. */
public enum Role {
  /** Looks, and changes nothing. */
  READ_ONLY,
  /** Works with what belongs to its owner. */
  USER,
  /** Runs the host: pools, recipes, host paths, everybody's sandboxes. */
  OPERATOR,
  /** Does everything, also keys and shutdown. */
  ADMIN;

  /** Whether a principal of this role may do what needs {@code needed}. */
  public boolean covers(Role needed) {
    return compareTo(needed) >= 0;
  }

  /** How the wire writes this role. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The role that the wire writes as {@code text}. */
  public static Optional<Role> of(String text) {
    for (Role role : values()) {
      if (role.text().equals(text)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}

package io.forkd.core.net;

import io.forkd.base.Sha256;
import java.util.List;

/**
 * Whom a sandbox reaches: which addresses, and which names are answered.
 *
 * @param addresses reachable whatever they are called
 * @param names whose addresses are reachable as soon as they were asked for
 * @param anyName whether every name is answered
 */
record Reach(Ipv4Set addresses, List<NamePattern> names, boolean anyName) {
  static final Reach NOBODY = new Reach(Ipv4Set.EMPTY, List.of(), false);

  Reach {
    names = List.copyOf(names);
  }

  /** Whether a name in lower case without a final dot is answered. */
  boolean answers(String name) {
    return anyName || names.stream().anyMatch(pattern -> pattern.matches(name));
  }

  /** Whether an address may be given to the guest as one of a name that is answered. */
  boolean mayPointTo(long address) {
    return KnownRanges.PUBLIC.contains(address) || addresses.contains(address);
  }

  /** Whether an address is reachable only because a name that was asked for has it. */
  boolean needsGrant(long address) {
    return !addresses.contains(address);
  }

  /**
   * The mark of connections that were let through by these rules: never zero, the same for the same
   * rules, so that a policy set again cuts nothing.
   */
  int mark() {
    int hash = Integer.parseUnsignedInt(Sha256.hex(toString()).substring(0, 8), 16);
    return (hash & Integer.MAX_VALUE) | 1;
  }
}

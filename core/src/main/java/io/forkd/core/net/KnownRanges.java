package io.forkd.core.net;

import io.forkd.base.GuestNet;

/** The ranges of addresses that are not the public internet. */
final class KnownRanges {
  /** Reachable only when an allowlist names them: private ranges, and those of carriers. */
  static final Ipv4Set PRIVATE =
      Ipv4Set.parse("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10");

  /**
   * Reachable by nobody: this network, loopback, link-local with the metadata address, protocol
   * assignments, the wires of all sandboxes, multicast and reserved.
   */
  static final Ipv4Set NEVER =
      Ipv4Set.parse(
          "0.0.0.0/8",
          "127.0.0.0/8",
          "169.254.0.0/16",
          "192.0.0.0/24",
          GuestNet.VETH_RANGE,
          "224.0.0.0/3");

  static final Ipv4Set PUBLIC = Ipv4Set.ALL.minus(PRIVATE).minus(NEVER);

  private KnownRanges() {}
}

package io.forkd.core.net;

import io.forkd.base.GuestNet;

/** What {@code ip} is told to wire a slot; each a pure function of the slot. */
final class SlotScripts {
  static final String TAP = "tap0";
  static final String UPLINK = "up0";

  private SlotScripts() {}

  /**
   * On the host: a wire into the namespace.
   *
   * @param ipv6 whether this kernel has IPv6, which the wire must not speak
   */
  static String hostSide(String link, String netns, Wire wire, boolean ipv6) {
    return """
    link add %1$s type veth peer name %2$s netns %3$s
    addr add %4$s/30 dev %1$s
    link set dev %1$s%5$s up
    """
        .formatted(link, UPLINK, netns, wire.hostEnd(), ipv6 ? " addrgenmode none" : "");
  }

  /** Inside: the guest's gateway, and the way out. The guest's neighbour entry never expires. */
  static String inside(Wire wire) {
    return """
    link set dev %1$s address %2$s up
    addr add %3$s/%4$d dev %1$s
    neigh add %5$s lladdr %6$s dev %1$s nud permanent
    addr add %7$s/30 dev %8$s
    link set dev %8$s up
    route add default via %9$s dev %8$s
    """
        .formatted(
            TAP,
            GuestNet.GATEWAY_MAC,
            GuestNet.GATEWAY,
            GuestNet.PREFIX,
            GuestNet.ADDRESS,
            GuestNet.MAC,
            wire.slotEnd(),
            UPLINK,
            wire.hostEnd());
  }
}

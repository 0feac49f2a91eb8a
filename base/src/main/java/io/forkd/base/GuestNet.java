package io.forkd.base;

/**
 * The network as every guest sees it: one NIC, the same address in each, so that a snapshot may be
 * forked into any number of sandboxes without a change inside.
 */
public final class GuestNet {
  /** The guest's own address. */
  public static final String ADDRESS = "172.30.255.2";

  /** The host's end of the guest's wire: its gateway and its only name server. */
  public static final String GATEWAY = "172.30.255.1";

  /** Length of the prefix both share. */
  public static final int PREFIX = 30;

  /** The guest's Ethernet address: locally administered, unicast. */
  public static final String MAC = "02:fd:00:00:00:02";

  /** The Ethernet address of the host's end, fixed so that a guest's neighbour cache stays true. */
  public static final String GATEWAY_MAC = "02:fd:00:00:00:01";

  /**
   * The range (RFC 2544, never routed on the internet) that the wires between network namespaces
   * and the host have their addresses of, a /30 each.
   */
  public static final String VETH_RANGE = "198.18.0.0/15";

  private GuestNet() {}
}

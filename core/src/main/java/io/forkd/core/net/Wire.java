package io.forkd.core.net;

import io.forkd.base.GuestNet;

/**
 * The addresses of the wire between one slot and the host.
 *
 * @param number of the slot; each has a /30 of its own
 */
record Wire(int number) {
  private static final Ipv4Range ALL = Ipv4Range.parse(GuestNet.VETH_RANGE);

  /** How many there can be on one host. */
  static final int MOST = (int) ((ALL.last() - ALL.first() + 1) / 4);

  Wire {
    if (number < 0 || number >= MOST) {
      throw new IllegalArgumentException("no wire has the number %d".formatted(number));
    }
  }

  /** The /30 as a number, as routes show it. */
  long network() {
    return ALL.first() + 4L * number;
  }

  String hostEnd() {
    return Ipv4Range.text(network() + 1);
  }

  String slotEnd() {
    return Ipv4Range.text(network() + 2);
  }
}

package io.forkd.core.net;

import io.forkd.base.GuestNet;
import java.util.stream.Collectors;

/**
 * The rules on the host, as nft reads them: sandboxes reach neither it nor each other, whatever
 * their own rules say, and leave it under its own address.
 */
final class HostRules {
  private HostRules() {}

  /** Puts the table in place, or in place of an older one, in one transaction. */
  static String install(SlotNames names) {
    return """
    %1$s{
      chain input {
        type filter hook input priority filter - 1; policy accept;
        iifname "%2$s*" drop
      }
      chain forward {
        type filter hook forward priority filter - 1; policy accept;
        iifname "%2$s*" jump outbound
        oifname "%2$s*" jump inbound
      }
      chain outbound {
        meta nfproto != ipv4 drop
        ip saddr != %3$s drop
        oifname "fk*" drop
        ct status dnat drop
        ip daddr { %4$s } drop
      }
      chain inbound {
        ct state established,related return
        drop
      }
      chain postrouting {
        type nat hook postrouting priority srcnat; policy accept;
        ip saddr %3$s oifname != "fk*" masquerade
      }
    }
    """
        .formatted(
            remove(names) + "table inet " + names.table() + " ",
            names.linkPrefix(),
            GuestNet.VETH_RANGE,
            KnownRanges.NEVER.ranges().stream()
                .map(Ipv4Range::toString)
                .collect(Collectors.joining(", ")));
  }

  /** Removes the table, if it is there. */
  static String remove(SlotNames names) {
    return """
    table inet %1$s
    delete table inet %1$s
    """
        .formatted(names.table());
  }
}

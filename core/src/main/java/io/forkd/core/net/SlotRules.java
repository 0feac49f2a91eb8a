package io.forkd.core.net;

import io.forkd.base.GuestNet;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The rules inside a slot's namespace, as nft reads them; each a pure function of what it enforces.
 */
final class SlotRules {
  /*
   * A connection is judged by the address it was opened to, once per policy: rules mark what they
   * let through, and packets of either direction pass as long as their connection has the mark of
   * the policy in force. So a new policy judges open connections again and cuts what it does not
   * allow, while a connection to an address whose name's time has run out lives on.
   *
   * While a daemon restarts nobody serves names: a guest that hears nothing asks again, one that
   * hears of an unreachable port gives up.
   *
   * The VMM runs in this namespace too, as an unprivileged user; it reaches nothing but the tap.
   */

  static final String TABLE = "inet forkd";

  /** Connections a sandbox may have open at once: the host's table of them is shared by all. */
  static final int MOST_CONNECTIONS = 4096;

  /** Addresses of names at once. */
  static final int MOST_GRANTS = 4096;

  private SlotRules() {}

  /** Everything but the policy; without one nobody is reached. */
  static String base() {
    return """
    table %1$s
    delete table %1$s
    table %1$s {
      set allowed {
        type ipv4_addr
        flags interval
      }
      set named {
        type ipv4_addr
        size %2$d
        flags timeout
      }
      chain egress {
      }
      chain ingress {
      }
      chain forward {
        type filter hook forward priority filter; policy drop;
        ct state invalid drop
        iifname "%3$s" oifname "%4$s" ip saddr %5$s jump egress
        iifname "%4$s" oifname "%3$s" ct state established,related jump ingress
      }
      chain input {
        type filter hook input priority filter; policy drop;
        iifname "%3$s" ip saddr %5$s ip daddr %6$s meta l4proto { tcp, udp } th dport 53 accept
        iifname "%3$s" ip saddr %5$s meta l4proto tcp reject with tcp reset
      }
      chain output {
        type filter hook output priority filter; policy drop;
        icmp type destination-unreachable icmp code port-unreachable drop
        oifname "%3$s" accept
      }
      chain postrouting {
        type nat hook postrouting priority srcnat; policy accept;
        oifname "%4$s" masquerade
      }
    }
    """
        .formatted(
            TABLE,
            MOST_GRANTS,
            SlotScripts.TAP,
            SlotScripts.UPLINK,
            GuestNet.ADDRESS,
            GuestNet.GATEWAY);
  }

  /**
   * Replaces the policy in one transaction.
   *
   * @param grants addresses of names that are still allowed, with the time each has left
   */
  static String policy(Reach reach, Map<Long, Duration> grants) {
    StringBuilder script =
        new StringBuilder(
            """
            flush chain %1$s egress
            flush chain %1$s ingress
            flush set %1$s allowed
            flush set %1$s named
            """
                .formatted(TABLE));
    if (!reach.addresses().isEmpty()) {
      script.append(
          "add element %s allowed { %s }\n"
              .formatted(
                  TABLE,
                  reach.addresses().ranges().stream()
                      .map(Ipv4Range::toString)
                      .collect(Collectors.joining(", "))));
    }
    grants.forEach((address, left) -> script.append(element("add", address, left)));
    String mark = mark(reach);
    if (!reach.equals(Reach.NOBODY)) {
      script.append(
          """
          add rule %1$s ingress ct mark %2$s accept
          add rule %1$s egress ct mark %2$s accept
          add rule %1$s egress ct state new ct count over %3$d drop
          add rule %1$s egress ip daddr @allowed ct mark set %2$s accept
          add rule %1$s egress ip daddr @named ct mark set %2$s accept
          """
              .formatted(TABLE, mark, MOST_CONNECTIONS));
    }
    script.append(
        """
        add rule %1$s egress meta l4proto tcp reject with tcp reset
        add rule %1$s egress reject with icmp type admin-prohibited comment "%2$s"
        """
            .formatted(TABLE, mark));
    return script.toString();
  }

  /** Lets addresses of a name be reached; the time of those that are known begins again. */
  static String grant(Map<Long, Duration> grants) {
    StringBuilder script = new StringBuilder();
    grants.forEach(
        (address, time) ->
            // An element that is there keeps its old time, unless it is removed before.
            script
                .append(element("add", address, time))
                .append(
                    "delete element %s named { %s }\n".formatted(TABLE, Ipv4Range.text(address)))
                .append(element("add", address, time)));
    return script.toString();
  }

  /** Asks for the chain that tells which policy is in force. */
  static String showPolicy() {
    return "list chain %s egress\n".formatted(TABLE);
  }

  /** Whether that chain is of this policy. */
  static boolean inForce(Reach reach, String shown) {
    return shown.contains("comment \"" + mark(reach) + "\"");
  }

  private static String mark(Reach reach) {
    return "0x%08x".formatted(reach.mark());
  }

  private static String element(String verb, long address, Duration time) {
    return "%s element %s named { %s timeout %ds }\n"
        .formatted(verb, TABLE, Ipv4Range.text(address), Math.max(1, time.toSeconds()));
  }
}

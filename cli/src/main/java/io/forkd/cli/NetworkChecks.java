package io.forkd.cli;

import io.forkd.linux.Probes;
import io.forkd.linux.TapProbe;
import java.util.List;

/** What sandboxes with a network need. Without it they are fully usable, only offline. */
final class NetworkChecks {
  private static final String OFFLINE = "sandboxes have no network; everything else works";

  private NetworkChecks() {}

  static List<Check> of() {
    return List.of(
        new Check("tap", NetworkChecks::tap),
        new Check("nftables", NetworkChecks::nftables),
        new Check("ip_forward", NetworkChecks::ipForward));
  }

  private static Finding tap() {
    return Finding.of(TapProbe.run(), "taps can be made", OFFLINE, "run as root; modprobe tun");
  }

  private static Finding nftables() {
    return Finding.of(
        Probes.nftables(),
        "sandboxes can be connected and confined",
        OFFLINE,
        "apt-get install nftables; run as root; modprobe nf_tables");
  }

  private static Finding ipForward() {
    return Finding.of(
        Probes.ipForward(),
        "sandboxes can be routed",
        "sandboxes cannot reach other hosts",
        "sysctl -w net.ipv4.ip_forward=1");
  }
}

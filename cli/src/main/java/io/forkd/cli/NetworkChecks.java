package io.forkd.cli;

import java.nio.file.Path;
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
    return Host.cannotOpen(Path.of("/dev/net/tun"))
        .map(why -> Finding.warn("/dev/net/tun: " + why, OFFLINE, "run as root; modprobe tun"))
        .orElseGet(() -> Finding.ok("/dev/net/tun can be opened", "taps can be made"));
  }

  private static Finding nftables() {
    if (Host.program("nft").isEmpty()) {
      return Finding.warn("no nft", OFFLINE, "apt-get install nftables");
    }
    Host.Output output = Host.run(List.of("nft", "list", "tables"));
    return output.ok()
        ? Finding.ok("nft works", "sandboxes can be connected and confined")
        : Finding.warn(
            "nft: " + output.text().lines().findFirst().orElse("failed"),
            OFFLINE,
            "run as root; modprobe nf_tables");
  }

  private static Finding ipForward() {
    String value = Host.read("/proc/sys/net/ipv4/ip_forward").orElse("0");
    return value.equals("1")
        ? Finding.ok("net.ipv4.ip_forward is 1", "sandboxes can be routed")
        : Finding.warn(
            "net.ipv4.ip_forward is " + value,
            "sandboxes cannot reach other hosts",
            "sysctl -w net.ipv4.ip_forward=1");
  }
}

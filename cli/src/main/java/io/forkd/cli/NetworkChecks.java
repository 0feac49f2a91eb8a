package io.forkd.cli;

import io.forkd.linux.Probe;
import io.forkd.linux.Probes;
import io.forkd.linux.TapProbe;
import java.util.List;
import java.util.function.Supplier;

/** What networks for sandboxes will need. Sandboxes are offline today, whatever these find. */
final class NetworkChecks {
  private static final String NOT_YET = "needed for sandbox networks, which are not there yet";

  private NetworkChecks() {}

  static List<Check> of() {
    return List.of(
        check("tap", TapProbe::run, "run as root; modprobe tun"),
        check(
            "nftables",
            Probes::nftables,
            "apt-get install nftables; run as root; modprobe nf_tables"),
        check("ip_forward", Probes::ipForward, "sysctl -w net.ipv4.ip_forward=1"));
  }

  private static Check check(String name, Supplier<Probe> probe, String fix) {
    return new Check(name, () -> Finding.of(probe.get(), NOT_YET, NOT_YET, fix));
  }
}

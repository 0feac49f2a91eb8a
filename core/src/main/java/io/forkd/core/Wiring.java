package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.core.net.EgressRules;
import io.forkd.core.net.NetworkOptions;
import io.forkd.core.net.NetworkSlot;
import io.forkd.core.net.Networks;
import io.forkd.linux.Namespaces;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Gives sandboxes their networks where the host can, and their VMMs namespaces of their own. */
final class Wiring implements AutoCloseable {
  private final Optional<Networks> networks;
  private final Optional<Namespaces> apart;
  private final String obstacle;

  private Wiring(Optional<Networks> networks, Optional<Namespaces> apart, String obstacle) {
    this.networks = networks;
    this.apart = apart;
    this.obstacle = obstacle;
  }

  static Wiring open(Path run, Policy policy, boolean privileged) {
    Optional<Namespaces> apart =
        privileged && Namespaces.probe().works() ? Optional.of(Namespaces.FRESH) : Optional.empty();
    if (!policy.network() || !privileged) {
      return new Wiring(
          Optional.empty(),
          apart,
          privileged ? "it was started without networks" : "it does not run as root");
    }
    return switch (Networks.open(run, NetworkOptions.of(policy.egress()))) {
      case Networks.Opened.Ready(Networks ready) -> {
        Log.CORE.info("sandboxes have networks of their own");
        yield new Wiring(Optional.of(ready), apart, "");
      }
      case Networks.Opened.Unavailable(String reason) -> {
        Log.CORE.warn("sandboxes have no network: {}", reason);
        yield new Wiring(Optional.empty(), apart, reason);
      }
    };
  }

  /** For sandboxes without networks. */
  static Wiring none() {
    return new Wiring(Optional.empty(), Optional.empty(), "it was started without networks");
  }

  /** Refuses what this host cannot give. */
  void require(Egress egress) {
    EgressRules.check(egress);
    if (networks.isEmpty() && !(egress instanceof Egress.None)) {
      throw ForkdException.badRequest(
          "this daemon gives sandboxes no network: %s. Leave egress out, or use none; `forkd"
              + " doctor` says what is missing.",
          obstacle);
    }
  }

  Optional<NetworkSlot> take() {
    return networks.map(Networks::take);
  }

  Optional<NetworkSlot> retake(String name, long vmm, Egress egress) {
    return networks.flatMap(all -> all.retake(name, vmm, egress));
  }

  /** What a VMM without a network has apart from us. */
  Optional<Namespaces> apart() {
    return apart;
  }

  /** Removes the networks of sandboxes that are no more, once all others were retaken. */
  void sweep() {
    networks.ifPresent(all -> all.sweep(Set.of()));
  }

  boolean settled() {
    return networks.map(Networks::full).orElse(true);
  }

  @Override
  public void close() {
    networks.ifPresent(
        all -> {
          all.close();
          all.removeIfUnused();
        });
  }
}

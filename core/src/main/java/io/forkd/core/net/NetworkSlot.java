package io.forkd.core.net;

import io.forkd.core.Egress;
import io.forkd.linux.Fd;
import io.forkd.linux.Namespaces;
import io.forkd.linux.Netns;
import io.forkd.linux.Tap;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One sandbox's connection to the world: a network namespace with a tap for its VMM, a wire to the
 * host, rules and a name server. It serves one sandbox and is then destroyed.
 */
public final class NetworkSlot {
  private final Netns netns;
  private final SlotPolicy policy;
  private final DnsServer dns;
  private final Consumer<NetworkSlot> destroy;
  private final AtomicBoolean released = new AtomicBoolean();

  NetworkSlot(Netns netns, SlotPolicy policy, DnsServer dns, Consumer<NetworkSlot> destroy) {
    this.netns = netns;
    this.policy = policy;
    this.dns = dns;
    this.destroy = destroy;
  }

  /** The name of its network namespace, by which a later daemon retakes it. */
  public String name() {
    return netns.path().getFileName().toString();
  }

  public Path netnsPath() {
    return netns.path();
  }

  Netns netns() {
    return netns;
  }

  /** Where the VMM is to be started: in this network, apart from the host in all else. */
  public Namespaces namespaces() {
    return Namespaces.FRESH.inNetwork(netns);
  }

  /**
   * The VMM's end of the guest's wire: Ethernet frames behind a virtio-net header. Several may be
   * open at once, as when one VMM takes over from another.
   */
  public Fd openTap() {
    return Tap.open(netns, SlotScripts.TAP);
  }

  /** Whom the sandbox may reach. */
  public Egress egress() {
    return policy.egress();
  }

  /**
   * Changes whom the sandbox may reach, at once: open connections that are not allowed any more are
   * cut. When it fails the former egress stays in force.
   */
  public void apply(Egress egress) {
    policy.apply(egress);
  }

  /**
   * Ends it; after this the namespace lives only as long as the VMM does. Call it once the VMM is
   * gone. Nothing of it is ever used by another sandbox.
   */
  public void release() {
    if (released.compareAndSet(false, true)) {
      try {
        dns.close();
      } finally {
        destroy.accept(this);
      }
    }
  }

  /** Stops serving it and leaves it to a later daemon. */
  void leave() {
    if (released.compareAndSet(false, true)) {
      dns.close();
    }
  }

  @Override
  public String toString() {
    return name();
  }
}

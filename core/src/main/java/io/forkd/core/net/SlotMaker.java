package io.forkd.core.net;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.core.Egress;
import io.forkd.linux.LinuxException;
import io.forkd.linux.Netns;
import io.forkd.linux.Tap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes network namespaces with all that belongs to a slot, and removes what is left of them. */
final class SlotMaker {
  private static final Path SYSCTL = Path.of("/proc/sys/net");
  private static final List<String> SETTINGS =
      List.of(
          "ipv4/ip_forward=1",
          "ipv4/conf/%s/rp_filter=1",
          "ipv4/conf/%s/accept_redirects=0",
          "ipv4/conf/%s/send_redirects=0",
          "ipv4/conf/%s/accept_source_route=0",
          "ipv4/conf/%s/arp_ignore=1",
          "ipv6/conf/%s/disable_ipv6=1");

  private final SlotNames names;
  private final HostNet host;
  private final NetTools tools;
  private final AtomicInteger next;

  /** Namespaces that this daemon uses, also those it is just making. */
  private final Set<String> ours = ConcurrentHashMap.newKeySet();

  private final AtomicBoolean forwarding = new AtomicBoolean();

  SlotMaker(SlotNames names, HostNet host, NetTools tools) {
    this.names = names;
    this.host = host;
    this.tools = tools;
    // Daemons begin at different places, so that they seldom look at each other's numbers.
    this.next = new AtomicInteger((int) (Long.parseLong(names.hash(), 16) % Wire.MOST));
  }

  /** Puts the host's own rules in place. */
  void installHostRules() {
    tools.nft(host.netns(), "install the rules of the host", HostRules.install(names));
  }

  void removeHostRules() {
    tools.nft(host.netns(), "remove the rules of the host", HostRules.remove(names));
  }

  /** A namespace in which an egress is in force; all of it or nothing. */
  Netns make(Egress egress) {
    if (forwarding.compareAndSet(false, true) && host.enableForwarding()) {
      Log.NET.info("IPv4 forwarding is now on: sandboxes need it (net.ipv4.ip_forward=1)");
    }
    try {
      return attempt(egress);
    } catch (IOException | UncheckedIOException | LinuxException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "could not make a network: %s.".formatted(e.getMessage()), e);
    }
  }

  private Netns attempt(Egress egress) throws IOException {
    Wire wire;
    Netns netns;
    try (HostLock _ = HostLock.take()) {
      wire = new Wire(freeNumber());
      netns = Netns.named(names.netns(wire.number()));
      ours.add(nameOf(netns));
      try {
        Netns.create(nameOf(netns));
        netns.call(SlotMaker::configure);
        Tap.create(netns, SlotScripts.TAP);
        join(netns, wire);
      } catch (IOException | RuntimeException e) {
        destroy(netns);
        throw e;
      }
    }
    try {
      Optional<Netns> inside = Optional.of(netns);
      tools.ip(inside, "configure " + netns.path(), SlotScripts.inside(wire));
      tools.nft(
          inside,
          "set the rules of " + netns.path(),
          SlotRules.base() + SlotRules.policy(EgressRules.reachOf(egress), Map.of()));
      return netns;
    } catch (RuntimeException e) {
      destroy(netns);
      throw e;
    }
  }

  /**
   * The namespace that an earlier daemon of this run folder made for a VMM. A name that was lost,
   * as with a daemon that had mounts of its own, is given again.
   */
  Optional<Netns> find(String name, long vmm) {
    if (names.numberOfNetns(name).isEmpty() || ours.contains(name)) {
      return Optional.empty();
    }
    if (Netns.named(name).alive()) {
      return Optional.of(Netns.named(name));
    }
    return Netns.isOwnOf(vmm) ? Optional.empty() : Optional.of(Netns.restore(name, vmm));
  }

  void adopt(Netns netns) {
    ours.add(nameOf(netns));
  }

  /** Its wire goes with it, as soon as no process and no socket is left inside. */
  void destroy(Netns netns) {
    netns.delete();
    ours.remove(nameOf(netns));
  }

  private static String nameOf(Netns netns) {
    return netns.path().getFileName().toString();
  }

  private void join(Netns netns, Wire wire) {
    String name = nameOf(netns);
    boolean ipv6 = Files.exists(SYSCTL.resolve("ipv6"));
    tools.ip(
        host.netns(),
        "wire " + name + " to the host",
        SlotScripts.hostSide(names.link(wire.number()), name, wire, ipv6));
  }

  private int freeNumber() {
    Set<Long> routes = new HashSet<>(host.routes());
    Set<String> links = new HashSet<>(host.links());
    for (int i = 0; i < Wire.MOST; i++) {
      int number = next.getAndUpdate(n -> (n + 1) % Wire.MOST);
      if (!routes.contains(new Wire(number).network())
          && !links.contains(names.link(number))
          && !Files.exists(Netns.named(names.netns(number)).path())) {
        return number;
      }
    }
    throw new ForkdException(
        ErrorCode.FULL, "all %d networks of this host are in use.".formatted(Wire.MOST));
  }

  /** Before there are interfaces, because they begin with the settings of {@code default}. */
  private static boolean configure() throws IOException {
    for (String setting : SETTINGS) {
      int equals = setting.indexOf('=');
      for (String scope : List.of("all", "default")) {
        Path file = SYSCTL.resolve(setting.substring(0, equals).formatted(scope));
        if (Files.exists(file)) {
          Files.writeString(file, setting.substring(equals + 1));
        }
      }
    }
    return true;
  }

  /**
   * Removes what earlier daemons of this run folder left, all but what is in use here or named;
   * answers how many namespaces that were.
   */
  int sweep(Set<String> kept) {
    List<String> strangers =
        Netns.names().stream()
            .filter(name -> names.numberOfNetns(name).isPresent() && isStranger(name, kept))
            .toList();
    strangers.forEach(name -> Netns.named(name).delete());
    // A wire stays as long as a process lives in a namespace that has lost its name.
    String script =
        host.links().stream()
            .filter(link -> isStrangersWire(link, kept))
            .map("link del %s\n"::formatted)
            .reduce("", String::concat);
    if (!script.isEmpty() && !tools.tryIp(host.netns(), script)) {
      Log.NET.debug("some wires were gone before they could be removed");
    }
    return strangers.size();
  }

  private boolean isStranger(String netns, Set<String> kept) {
    return !kept.contains(netns) && !ours.contains(netns);
  }

  private boolean isStrangersWire(String link, Set<String> kept) {
    OptionalInt number = names.numberOfLink(link);
    return number.isPresent() && isStranger(names.netns(number.getAsInt()), kept);
  }

  /** Whether any namespace of this run folder is left. */
  boolean anyLeft() {
    return Netns.names().stream().anyMatch(name -> names.numberOfNetns(name).isPresent());
  }
}

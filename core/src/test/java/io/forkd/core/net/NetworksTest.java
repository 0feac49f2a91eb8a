package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.GuestNet;
import io.forkd.core.Egress;
import io.forkd.core.net.Networks.Opened;
import io.forkd.linux.Netns;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How networks come and go. Runs as root. */
@Timeout(120)
class NetworksTest extends NetworkTest {
  /** A process in the network of the test itself. */
  private static final long NOBODY = ProcessHandle.current().pid();

  private static final String OWN = own();

  private static String own() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void anEndedSandboxLeavesNothingToTheNext() throws Exception {
    NetworkSlot slot = networks.take(new Egress.Allowlist(List.of(), List.of(FakeHost.PRIVATE)));
    String former = slot.name();
    try (FakeGuest guest = new FakeGuest(slot)) {
      assertThat(guest.reaches(FakeHost.PRIVATE)).isTrue();
    }
    slot.release();
    slot.release();
    assertThat(Netns.names()).doesNotContain(former);
    NetworkSlot next = networks.take();
    assertThat(next.name()).isNotEqualTo(former);
    Netns inside = Netns.named(next.name());
    assertThat(Sh.run(inside, "cat /proc/net/nf_conntrack 2>/dev/null || true\n")).isEmpty();
    assertThat(Sh.run(inside, "nft list set inet forkd named\n")).doesNotContain("elements");
    try (FakeGuest guest = new FakeGuest(next)) {
      assertThat(guest.reaches(FakeHost.PRIVATE)).isFalse();
    }
  }

  @Test
  void aLaterDaemonRetakesNetworksAndOpenConnectionsGoOn() throws Exception {
    world.names.addresses("one.example.org", FakeHost.PUBLIC);
    Egress only = new Egress.Allowlist(List.of("one.example.org"), List.of());
    NetworkSlot slot = networks.take(only);
    try (FakeGuest guest = new FakeGuest(slot)) {
      guest.addressesOf("one.example.org");
      try (var open = guest.connect(FakeHost.PUBLIC, 80).orElseThrow()) {
        networks.close();
        assertThat(open.echoes()).isTrue();
        assertThat(guest.ask(GuestNet.GATEWAY, DnsBytes.query("one.example.org", 1), 300))
            .isEmpty();
        networks = opened();
        NetworkSlot again = networks.retake(slot.name(), guest.vmmPid(), only).orElseThrow();
        networks.sweep(Set.of());
        assertThat(open.echoes()).isTrue();
        assertThat(guest.addressesOf("one.example.org")).containsExactly(FakeHost.PUBLIC);
        assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
        again.apply(Egress.NONE);
        assertThat(open.echoes()).isFalse();
        again.release();
      }
    }
    assertThat(networks.retake(slot.name(), NOBODY, only)).isEmpty();
    assertThat(networks.retake("forkd-other-1", NOBODY, only)).isEmpty();
  }

  @Test
  void aNetworkThatLostItsNameIsFoundByItsVmm() throws Exception {
    NetworkSlot slot = networks.take();
    try (FakeGuest guest = new FakeGuest(slot);
        var open = guest.connect(FakeHost.PUBLIC, 80).orElseThrow()) {
      networks.close();
      Netns.named(slot.name()).delete();
      networks = opened();
      NetworkSlot again =
          networks.retake(slot.name(), guest.vmmPid(), Egress.INTERNET).orElseThrow();
      networks.sweep(Set.of());
      assertThat(open.echoes()).isTrue();
      again.apply(Egress.NONE);
      assertThat(open.echoes()).isFalse();
    }
  }

  @Test
  void aHostThatCannotDoItSaysWhy() throws Exception {
    NetworkOptions here = world.options(folder, Egress.INTERNET, 1);
    NetworkOptions nowhere =
        new NetworkOptions(
            here.usual(), 1, new HostNet(Optional.of(Netns.named("fkt-none"))), here.resolvConf());
    assertThat(Networks.open(folder.resolve("x"), nowhere))
        .isEqualTo(
            new Opened.Unavailable(
                "could not install the rules of the host:"
                    + " open(/run/netns/fkt-none, 0x80000, 00) failed: ENOENT."));
  }

  @Test
  void rulesThatAreNotThoseOfTheRecordAreReplacedWhenRetaken() throws Exception {
    NetworkSlot slot = networks.take();
    networks.close();
    networks = opened();
    NetworkSlot again = networks.retake(slot.name(), NOBODY, Egress.NONE).orElseThrow();
    try (FakeGuest guest = new FakeGuest(again)) {
      assertThat(guest.reaches(FakeHost.PUBLIC)).isFalse();
    }
  }

  @Test
  void nothingIsLeftOfADaemonThatWasKilledWhileItMadeNetworks() throws Exception {
    Path run = Files.createDirectory(folder.resolve("killed"));
    NetworkOptions options = world.options(folder, Egress.INTERNET, 1);
    SlotNames names = SlotNames.of(run);
    for (int taken = 1; taken <= 3; taken++) {
      Process daemon =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  KilledDaemon.class.getName(),
                  run.toString(),
                  world.host.path().toString(),
                  options.resolvConf().toString())
              .redirectError(folder.resolve("stderr").toFile())
              .start();
      try (BufferedReader out = daemon.inputReader()) {
        assertThat(out.lines().filter(line -> line.startsWith("forkd-")).limit(taken).count())
            .isEqualTo(taken);
        assertThat(networksOfThreads(daemon.pid())).containsExactly(OWN);
      }
      daemon.destroyForcibly().waitFor();
    }
    assertThat(Netns.names()).anyMatch(name -> names.numberOfNetns(name).isPresent());
    Networks later = ((Opened.Ready) Networks.open(run, options)).networks();
    later.sweep(Set.of());
    later.close();
    later.removeIfUnused();
    assertThat(Netns.names()).noneMatch(name -> names.numberOfNetns(name).isPresent());
    Eventually.holds(
        () -> options.host().links().stream().noneMatch(l -> names.numberOfLink(l).isPresent()));
    assertThat(Sh.run(world.host, "nft list ruleset\n")).doesNotContain(names.table());
  }

  @Test
  void twoDaemonsOnOneHostShareNeitherNamesNorAddresses() throws Exception {
    Path run = Files.createDirectory(folder.resolve("other"));
    Networks other =
        ((Opened.Ready) Networks.open(run, world.options(folder, Egress.INTERNET, 1))).networks();
    try (FakeGuest guest = new FakeGuest(networks.take());
        FakeGuest neighbour = new FakeGuest(other.take())) {
      for (int i = 0; i < 5; i++) { // while spare ones are made
        other.sweep(Set.of());
        networks.sweep(Set.of());
        networks.take().release();
      }
      assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
      assertThat(neighbour.reaches(FakeHost.PUBLIC)).isTrue();
      List<Long> routes = new HostNet(Optional.of(world.host)).routes();
      assertThat(routes).doesNotHaveDuplicates();
    } finally {
      other.close();
      other =
          ((Opened.Ready) Networks.open(run, world.options(folder, Egress.INTERNET, 1))).networks();
      other.sweep(Set.of());
      other.close();
      other.removeIfUnused();
    }
  }

  @Test
  void manyAtOnceAreAllDifferentAndNoThreadStaysInOneOfThem() throws Exception {
    List<NetworkSlot> slots = new ArrayList<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<NetworkSlot>> taken = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        taken.add(executor.submit(() -> networks.take()));
      }
      for (Future<NetworkSlot> slot : taken) {
        slots.add(slot.get());
      }
    }
    assertThat(slots).extracting(NetworkSlot::name).doesNotHaveDuplicates();
    assertThat(networks.inUse()).isEqualTo(10);
    slots.forEach(NetworkSlot::release);
    assertThat(networks.inUse()).isZero();
    assertThat(networksOfThreads(ProcessHandle.current().pid())).containsExactly(OWN);
    HostNet host = new HostNet(Optional.of(world.host));
    Eventually.holds(
        () -> host.links().stream().filter(link -> link.startsWith("fk")).count() <= 1);
  }

  /** Where the threads of a process are, but for those that are elsewhere just now. */
  private static Set<String> networksOfThreads(long pid) throws IOException {
    Set<String> networks = new HashSet<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc/%d/task".formatted(pid)))) {
      for (Path thread : threads.toList()) {
        try {
          String network = Files.readSymbolicLink(thread.resolve("ns/net")).toString();
          if (!Files.readString(thread.resolve("comm")).strip().equals("elsewhere")) {
            networks.add(network);
          }
        } catch (IOException e) {
          // it has just ended
        }
      }
    }
    return networks;
  }
}

package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.GuestNet;
import io.forkd.core.Egress;
import io.forkd.core.net.DnsMessage.Rcode;
import io.forkd.linux.Netns;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names that guests ask for, and what becomes reachable. Runs as root. */
@Timeout(120)
class NamesTest extends NetworkTest {
  @Test
  void noneLeavesNothingButRefusals() throws Exception {
    world.names.addresses("good.example.org", FakeHost.PUBLIC);
    try (FakeGuest guest = new FakeGuest(networks.take(Egress.NONE))) {
      assertThat(guest.reaches(FakeHost.PUBLIC)).isFalse();
      assertThat(guest.ask("good.example.org", DnsMessage.TYPE_A).orElseThrow().rcode())
          .isEqualTo(Rcode.REFUSED);
      assertThat(world.names.asked).isEmpty();
    }
  }

  @Test
  void anAllowlistOfNamesOpensTheirAddressesOnceTheyWereAskedFor() throws Exception {
    world
        .names
        .addresses("good.example.org", FakeHost.PUBLIC)
        .addresses("bad.example.com", FakeHost.OTHER_PUBLIC)
        .alias("www.good.example.org", "cdn.example.net")
        .addresses("cdn.example.net", FakeHost.OTHER_PUBLIC);
    Egress only =
        new Egress.Allowlist(List.of("good.example.org", "*.good.example.org"), List.of());
    try (FakeGuest guest = new FakeGuest(networks.take(only))) {
      assertThat(guest.reaches(FakeHost.PUBLIC)).isFalse();
      assertThat(guest.addressesOf("GOOD.example.org")).containsExactly(FakeHost.PUBLIC);
      assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
      assertThat(guest.ask("bad.example.com", DnsMessage.TYPE_A).orElseThrow().rcode())
          .isEqualTo(Rcode.REFUSED);
      assertThat(guest.ask("cdn.example.net", DnsMessage.TYPE_A).orElseThrow().rcode())
          .isEqualTo(Rcode.REFUSED);
      assertThat(guest.reaches(FakeHost.OTHER_PUBLIC)).isFalse();
      assertThat(guest.addressesOf("www.good.example.org")).containsExactly(FakeHost.OTHER_PUBLIC);
      assertThat(guest.reaches(FakeHost.OTHER_PUBLIC)).isTrue();
      assertThat(world.names.asked).doesNotContain("bad.example.com", "cdn.example.net");
    }
  }

  @Test
  void theCLibraryOfAGuestResolvesNames() throws Exception {
    world.names.addresses("good.example.org", FakeHost.PUBLIC);
    try (FakeGuest guest = new FakeGuest(networks.take())) {
      Path conf =
          Files.writeString(folder.resolve("guest.conf"), "nameserver " + GuestNet.GATEWAY + "\n");
      String script =
          """
          unshare -m sh -c '
            mount --bind %s "$(readlink -f /etc/resolv.conf)"
            getent ahosts good.example.org; getent ahosts none.example.org || echo none'
          """
              .formatted(conf);
      assertThat(Sh.run(guest.inside, script))
          .contains(FakeHost.PUBLIC)
          .contains("none")
          .doesNotContain(":");
    }
  }

  @Test
  void namesThatPointInsideAreAnsweredWithoutThoseAddresses() throws Exception {
    world
        .names
        .addresses(
            "rebind.example.org",
            "127.0.0.1",
            FakeHost.METADATA,
            FakeHost.PRIVATE,
            FakeHost.PUBLIC,
            GuestNet.GATEWAY)
        .addresses("inside.example.org", FakeHost.PRIVATE);
    NetworkSlot slot = networks.take();
    try (FakeGuest guest = new FakeGuest(slot)) {
      for (Egress egress :
          List.of(Egress.INTERNET, new Egress.Allowlist(List.of("*.example.org"), List.of()))) {
        slot.apply(egress);
        assertThat(guest.addressesOf("rebind.example.org")).containsExactly(FakeHost.PUBLIC);
        assertThat(guest.addressesOf("inside.example.org")).isEmpty();
        assertThat(guest.reaches(FakeHost.PRIVATE)).isFalse();
        assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
      }
    }
  }

  @Test
  void addressesOfNamesThatStayAllowedStayOpen() throws Exception {
    world
        .names
        .addresses("one.example.org", FakeHost.PUBLIC)
        .addresses("two.example.org", FakeHost.OTHER_PUBLIC);
    NetworkSlot slot =
        networks.take(
            new Egress.Allowlist(List.of("one.example.org", "two.example.org"), List.of()));
    try (FakeGuest guest = new FakeGuest(slot)) {
      guest.addressesOf("one.example.org");
      guest.addressesOf("two.example.org");
      try (var open = guest.connect(FakeHost.OTHER_PUBLIC, 80).orElseThrow()) {
        slot.apply(new Egress.Allowlist(List.of("one.example.org"), List.of()));
        assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
        assertThat(open.echoes()).isFalse();
      }
      assertThat(guest.reaches(FakeHost.OTHER_PUBLIC)).isFalse();
    }
  }

  @Test
  void aConnectionOutlivesTheTimeOfItsName() throws Exception {
    world.names.addresses("one.example.org", FakeHost.PUBLIC);
    NetworkSlot slot = networks.take(new Egress.Allowlist(List.of("one.example.org"), List.of()));
    try (FakeGuest guest = new FakeGuest(slot)) {
      guest.addressesOf("one.example.org");
      try (var open = guest.connect(FakeHost.PUBLIC, 80).orElseThrow()) {
        Sh.run(Netns.named(slot.name()), "nft flush set inet forkd named\n");
        assertThat(open.echoes()).isTrue();
        assertThat(guest.reaches(FakeHost.PUBLIC)).isFalse();
      }
    }
  }

  @Test
  void aLongAnswerComesByTcpOnBothSides() throws Exception {
    String[] many =
        IntStream.rangeClosed(1, 90).mapToObj("198.51.100.%d"::formatted).toArray(String[]::new);
    world.names.addresses("many.example.org", many);
    Egress only = new Egress.Allowlist(List.of("many.example.org"), List.of());
    try (FakeGuest guest = new FakeGuest(networks.take(only))) {
      DnsMessage byUdp = guest.ask("many.example.org", DnsMessage.TYPE_A).orElseThrow();
      assertThat(byUdp.isTruncated()).isTrue();
      assertThat(byUdp.answers()).isEmpty();
      DnsMessage byTcp = guest.askByTcp(DnsBytes.query("many.example.org", DnsMessage.TYPE_A));
      assertThat(byTcp.isTruncated()).isFalse();
      assertThat(byTcp.answers()).hasSize(64);
    }
  }

  @Test
  void answersToOtherQuestionsAreNotTaken() throws Exception {
    world.names.addresses("good.example.org", FakeHost.PUBLIC).deceiving = true;
    try (FakeGuest guest = new FakeGuest(networks.take())) {
      assertThat(guest.addressesOf("good.example.org")).containsExactly(FakeHost.PUBLIC);
    }
  }

  @Test
  void theSecondServerIsAskedWhenTheFirstIsDead() throws Exception {
    world.names.addresses("good.example.org", FakeHost.PUBLIC);
    Files.writeString(
        folder.resolve("resolv.conf"),
        "nameserver 203.0.113.99\nnameserver %s\n".formatted(FakeHost.NAME_SERVER));
    try (FakeGuest guest = new FakeGuest(networks.take())) {
      assertThat(guest.addressesOf("good.example.org")).containsExactly(FakeHost.PUBLIC);
      Files.writeString(folder.resolve("resolv.conf"), "nameserver 203.0.113.99\n");
      assertThat(guest.ask("good.example.org", DnsMessage.TYPE_A).orElseThrow().rcode())
          .isEqualTo(Rcode.FAILED);
    }
  }

  @Test
  void aGuestThatFloodsIsStillAnswered() throws Exception {
    world.names.addresses("good.example.org", FakeHost.PUBLIC);
    try (FakeGuest guest = new FakeGuest(networks.take())) {
      byte[] junk = new byte[200];
      try (DatagramChannel channel =
          guest.inside.call(() -> DatagramChannel.open(StandardProtocolFamily.INET))) {
        Random random = new Random(1);
        InetSocketAddress gateway =
            new InetSocketAddress(InetAddress.ofLiteral(GuestNet.GATEWAY), 53);
        for (int i = 0; i < 2000; i++) {
          random.nextBytes(junk);
          channel.send(ByteBuffer.wrap(junk, 0, 1 + random.nextInt(junk.length)), gateway);
        }
      }
      Eventually.holds(
          () ->
              guest
                  .ask(
                      GuestNet.GATEWAY,
                      DnsBytes.query("good.example.org", DnsMessage.TYPE_A),
                      FakeGuest.SHORT_MS)
                  .isPresent());
    }
  }
}

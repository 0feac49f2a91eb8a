package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.GuestNet;
import io.forkd.core.Egress;
import io.forkd.linux.Netns;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What guests reach, with real packets between network namespaces. Runs as root. */
@Timeout(120)
class EgressTest extends NetworkTest {
  @Test
  void theInternetIsReachedUnderTheHostsAddress() throws Exception {
    try (FakeGuest guest = new FakeGuest(networks.take())) {
      assertThat(guest.connect(FakeHost.PUBLIC, 80).orElseThrow().greeting())
          .isEqualTo(FakeHost.HOST);
      byte[] query = DnsBytes.query("none.example.org", DnsMessage.TYPE_A);
      assertThat(guest.ask(FakeHost.NAME_SERVER, query, FakeGuest.LONG_MS)).isPresent();
    }
  }

  @Test
  void hostPrivateMetadataAndOtherSandboxesAreNotReached() throws Exception {
    NetworkSlot slot = networks.take();
    NetworkSlot other = networks.take();
    try (FakeGuest guest = new FakeGuest(slot);
        FakeGuest neighbour = new FakeGuest(other)) {
      world.serve(neighbour.inside, 80);
      world.serve(Netns.named(other.name()), 8080);
      Wire mine = wire(slot);
      Wire theirs = wire(other);
      assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
      assertThat(guest.reaches(FakeHost.PRIVATE)).isFalse();
      assertThat(guest.reaches(FakeHost.METADATA)).isFalse();
      assertThat(guest.reaches(FakeHost.HOST)).isFalse();
      assertThat(guest.reaches(mine.hostEnd())).isFalse();
      assertThat(guest.reaches(mine.slotEnd())).isFalse();
      assertThat(guest.reaches(theirs.hostEnd())).isFalse();
      assertThat(guest.reaches(theirs.slotEnd())).isFalse();
      assertThat(guest.reaches(theirs.slotEnd(), 8080)).isFalse();
      assertThat(guest.reaches(GuestNet.GATEWAY)).isFalse();
    }
  }

  /** Each of the two lines of defence must hold alone: here the slot's own rules are gone. */
  @Test
  void theHostKeepsSandboxesApartWhateverTheirOwnRulesSay() throws Exception {
    NetworkSlot slot = networks.take();
    NetworkSlot other = networks.take();
    for (NetworkSlot each : List.of(slot, other)) {
      Sh.run(
          Netns.named(each.name()),
          """
          nft flush ruleset
          nft 'table ip t { chain p { type nat hook postrouting priority 100; oifname "up0" masquerade; }; }'
          """);
    }
    try (FakeGuest guest = new FakeGuest(slot)) {
      world.serve(Netns.named(other.name()), 80);
      assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
      assertThat(guest.reaches(FakeHost.HOST)).isFalse();
      assertThat(guest.reaches(wire(slot).hostEnd())).isFalse();
      assertThat(guest.reaches(wire(other).slotEnd())).isFalse();
      assertThat(guest.reaches(FakeHost.METADATA)).isFalse();
    }
  }

  @Test
  void aVmmThatWasTakenOverReachesNothingEither() throws Exception {
    NetworkSlot slot = networks.take();
    Netns inside = Netns.named(slot.name());
    String script =
        """
        python3 - <<'E'
        import socket
        for where in (("%s", 80), ("%s", 80), ("%s", 53)):
            try:
                socket.create_connection(where, 1).close()
                print("reached", where)
            except OSError as e:
                print("no")
        E
        """
            .formatted(FakeHost.PUBLIC, wire(slot).hostEnd(), GuestNet.GATEWAY);
    assertThat(Sh.run(inside, script)).isEqualTo("no\nno\nno\n");
  }

  @Test
  void anAllowlistOfRangesOpensThemAndNothingElse() throws Exception {
    Egress only = new Egress.Allowlist(List.of(), List.of(FakeHost.PUBLIC, "10.9.0.0/16"));
    try (FakeGuest guest = new FakeGuest(networks.take(only))) {
      assertThat(guest.reaches(FakeHost.PUBLIC)).isTrue();
      assertThat(guest.reaches(FakeHost.PRIVATE)).isTrue();
      assertThat(guest.reaches(FakeHost.OTHER_PUBLIC)).isFalse();
      assertThat(guest.reaches(FakeHost.METADATA)).isFalse();
    }
  }

  @Test
  void aNewPolicyCutsWhatItDoesNotAllowAndNothingElse() throws Exception {
    NetworkSlot slot = networks.take();
    try (FakeGuest guest = new FakeGuest(slot);
        var kept = guest.connect(FakeHost.PUBLIC, 80).orElseThrow();
        var cut = guest.connect(FakeHost.OTHER_PUBLIC, 80).orElseThrow()) {
      assertThat(kept.echoes()).isTrue();
      assertThat(cut.echoes()).isTrue();
      slot.apply(new Egress.Allowlist(List.of(), List.of(FakeHost.PUBLIC)));
      assertThat(kept.echoes()).isTrue();
      assertThat(cut.echoes()).isFalse();
      slot.apply(Egress.NONE);
      assertThat(kept.echoes()).isFalse();
    }
  }

  @Test
  void portsThatTheHostPassesOnAreNotReachedThroughItsAddress() throws Exception {
    Sh.run(
        world.host,
        "nft 'table ip t { chain p { type nat hook prerouting priority -100;"
            + " tcp dport 8080 dnat to %s:80; }; }'\n".formatted(FakeHost.PRIVATE));
    Egress all = new Egress.Allowlist(List.of(), List.of(FakeHost.HOST, FakeHost.PRIVATE));
    try (FakeGuest guest = new FakeGuest(networks.take(all))) {
      assertThat(guest.reaches(FakeHost.PRIVATE)).isTrue();
      assertThat(guest.reaches(FakeHost.HOST, 8080)).isFalse();
    } finally {
      Sh.run(world.host, "nft delete table ip t\n");
    }
  }

  @Test
  void oneSandboxCannotFillTheHostsTableOfConnections() throws Exception {
    NetworkSlot slot = networks.take();
    try (FakeGuest guest = new FakeGuest(slot)) {
      Sh.run(
          guest.inside,
          """
          python3 - <<'E'
          import socket, time
          s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
          for port in range(10000, 10000 + %d + 1000):
              s.sendto(b"x", ("%s", port))
              if port %% 100 == 0: time.sleep(0.005)
          E
          """
              .formatted(SlotRules.MOST_CONNECTIONS, FakeHost.PUBLIC));
      String count = "cat /proc/sys/net/netfilter/nf_conntrack_count\n";
      int open = Integer.parseInt(Sh.run(world.host, count).strip());
      assertThat(open).isBetween(SlotRules.MOST_CONNECTIONS / 2, SlotRules.MOST_CONNECTIONS + 50);
    }
  }
}

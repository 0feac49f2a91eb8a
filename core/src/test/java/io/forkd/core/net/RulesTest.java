package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.core.Egress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What ip and nft are told, word for word where it matters. */
class RulesTest {
  private static final SlotNames NAMES = new SlotNames("0123abcd");

  @Test
  void namesOfOneRunFolderAreItsOwnAndFitAnInterface() {
    SlotNames one = SlotNames.of(Path.of("/run/forkd-1"));
    SlotNames other = SlotNames.of(Path.of("/run/forkd-2"));
    assertThat(one).isEqualTo(SlotNames.of(Path.of("/run/./forkd-1"))).isNotEqualTo(other);
    assertThat(NAMES.netns(7)).isEqualTo("forkd-0123abcd-7");
    assertThat(NAMES.link(Wire.MOST - 1)).isEqualTo("fk0123ab-32767").hasSizeLessThanOrEqualTo(15);
    assertThat(NAMES.numberOfNetns("forkd-0123abcd-7")).hasValue(7);
    assertThat(NAMES.numberOfLink("fk0123ab-12")).hasValue(12);
    for (String strange :
        List.of(
            "forkd-0123abce-7", "forkd-0123abcd-", "forkd-0123abcd-x", "forkd-0123abcd-123456")) {
      assertThat(NAMES.numberOfNetns(strange)).isEmpty();
    }
  }

  @Test
  void eachWireHasFourAddressesOfItsOwn() {
    assertThat(new Wire(0).hostEnd()).isEqualTo("198.18.0.1");
    assertThat(new Wire(0).slotEnd()).isEqualTo("198.18.0.2");
    assertThat(new Wire(64).hostEnd()).isEqualTo("198.18.1.1");
    assertThat(new Wire(Wire.MOST - 1).slotEnd()).isEqualTo("198.19.255.254");
    assertThatThrownBy(() -> new Wire(Wire.MOST)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theWireIsLaidFromBothEnds() {
    assertThat(SlotScripts.hostSide(NAMES.link(1), NAMES.netns(1), new Wire(1), true))
        .isEqualTo(
            """
            link add fk0123ab-1 type veth peer name up0 netns forkd-0123abcd-1
            addr add 198.18.0.5/30 dev fk0123ab-1
            link set dev fk0123ab-1 addrgenmode none up
            """);
    assertThat(SlotScripts.hostSide(NAMES.link(1), NAMES.netns(1), new Wire(1), false))
        .endsWith("link set dev fk0123ab-1 up\n");
    assertThat(SlotScripts.inside(new Wire(1)))
        .isEqualTo(
            """
            link set dev tap0 address 02:fd:00:00:00:01 up
            addr add 172.30.255.1/30 dev tap0
            neigh add 172.30.255.2 lladdr 02:fd:00:00:00:02 dev tap0 nud permanent
            addr add 198.18.0.6/30 dev up0
            link set dev up0 up
            route add default via 198.18.0.5 dev up0
            """);
  }

  @Test
  void withoutAPolicyEveryChainOfASlotDrops() {
    String base = SlotRules.base();
    assertThat(base).startsWith("table inet forkd\ndelete table inet forkd\n");
    assertThat(base.split("policy drop;", -1)).hasSize(4);
    assertThat(base).doesNotContain("policy accept;\n    ip").contains("chain egress {\n  }");
  }

  @Test
  void nobodyIsRejectedRightAway() {
    String mark = "0x%08x".formatted(Reach.NOBODY.mark());
    assertThat(SlotRules.policy(Reach.NOBODY, Map.of()))
        .isEqualTo(
            """
            flush chain inet forkd egress
            flush chain inet forkd ingress
            flush set inet forkd allowed
            flush set inet forkd named
            add rule inet forkd egress meta l4proto tcp reject with tcp reset
            add rule inet forkd egress reject with icmp type admin-prohibited comment "%s"
            """
                .formatted(mark));
  }

  @Test
  void anAllowlistMarksWhatItLetsThrough() {
    Reach reach =
        EgressRules.reachOf(
            new Egress.Allowlist(
                List.of("a.org"), List.of("192.0.2.0/24", "192.0.3.0/24", "1.1.1.1")));
    String mark = "0x%08x".formatted(reach.mark());
    assertThat(SlotRules.policy(reach, Map.of(0x08080808L, Duration.ofSeconds(31))))
        .isEqualTo(
            """
            flush chain inet forkd egress
            flush chain inet forkd ingress
            flush set inet forkd allowed
            flush set inet forkd named
            add element inet forkd allowed { 1.1.1.1, 192.0.2.0-192.0.3.255 }
            add element inet forkd named { 8.8.8.8 timeout 31s }
            add rule inet forkd ingress ct mark %1$s accept
            add rule inet forkd egress ct mark %1$s accept
            add rule inet forkd egress ct state new ct count over 4096 drop
            add rule inet forkd egress ip daddr @allowed ct mark set %1$s accept
            add rule inet forkd egress ip daddr @named ct mark set %1$s accept
            add rule inet forkd egress meta l4proto tcp reject with tcp reset
            add rule inet forkd egress reject with icmp type admin-prohibited comment "%1$s"
            """
                .formatted(mark));
  }

  @Test
  void aGrantBeginsItsTimeAnew() {
    assertThat(SlotRules.grant(Map.of(0x08080808L, Duration.ofMillis(60_999))))
        .isEqualTo(
            """
            add element inet forkd named { 8.8.8.8 timeout 60s }
            delete element inet forkd named { 8.8.8.8 }
            add element inet forkd named { 8.8.8.8 timeout 60s }
            """);
  }

  @Test
  void theHostsRulesNameTheInterfacesOfThisRunFolderOnly() {
    String rules = HostRules.install(NAMES);
    assertThat(rules)
        .startsWith("table inet forkd_0123abcd\ndelete table inet forkd_0123abcd\n")
        .contains("iifname \"fk0123ab-*\" drop")
        .contains("oifname \"fk*\" drop")
        .contains("ct status dnat drop")
        .contains("169.254.0.0-169.254.255.255")
        .contains("ip saddr 198.18.0.0/15 oifname != \"fk*\" masquerade");
  }

  @Test
  void routesAreReadAsTheKernelShowsThem() {
    assertThat(
            HostNet.parseRoutes(
                List.of(
                    "Iface\tDestination\tGateway",
                    "eth0\t00000000\t010200C0\t0003",
                    "fk\t%08X\t00000000\t0001"
                        .formatted(
                            java.nio.ByteBuffer.allocate(4)
                                .putInt((int) new Wire(3).network())
                                .order(java.nio.ByteOrder.nativeOrder())
                                .getInt(0)))))
        .containsExactly(0L, new Wire(3).network());
  }
}

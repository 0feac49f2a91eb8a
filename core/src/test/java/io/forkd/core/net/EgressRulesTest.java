package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.core.Egress;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EgressRulesTest {
  private static Reach names(String... names) {
    return EgressRules.reachOf(new Egress.Allowlist(List.of(names), List.of()));
  }

  private static Reach ranges(String... cidrs) {
    return EgressRules.reachOf(new Egress.Allowlist(List.of(), List.of(cidrs)));
  }

  private static long address(String text) {
    return Ipv4Range.parse(text).first();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.1.1.1", "8.8.8.8", "172.32.0.1", "223.255.255.255", "100.128.0.1"})
  void theInternetHasPublicAddresses(String public_) {
    assertThat(EgressRules.reachOf(Egress.INTERNET).addresses().contains(address(public_)))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "127.0.0.53",
        "169.254.169.254",
        "172.16.0.1",
        "172.30.255.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "224.0.0.251",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255"
      })
  void theInternetHasNoneThatIsNotPublic(String inside) {
    Reach internet = EgressRules.reachOf(Egress.INTERNET);
    assertThat(internet.addresses().contains(address(inside))).isFalse();
    assertThat(internet.mayPointTo(address(inside))).isFalse();
  }

  @Test
  void everythingAsARangeIsThePublicInternet() {
    assertThat(ranges("0.0.0.0/0").addresses()).isEqualTo(KnownRanges.PUBLIC);
    assertThat(ranges("0.0.0.0/1", "128.0.0.0/1").addresses()).isEqualTo(KnownRanges.PUBLIC);
  }

  @Test
  void aPrivateRangeIsOpenOnlyWhenItIsNamed() {
    assertThat(ranges("10.1.0.0/16").addresses()).isEqualTo(Ipv4Set.parse("10.1.0.0/16"));
    assertThat(ranges("10.1.0.0/16").mayPointTo(address("10.1.2.3"))).isTrue();
    assertThat(ranges("10.1.0.0/16").mayPointTo(address("10.2.2.3"))).isFalse();
    assertThat(ranges("8.0.0.0/6").addresses()).isEqualTo(Ipv4Set.parse("8.0.0.0/7", "11.0.0.0/8"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"169.254.169.254", "127.0.0.0/8", "198.18.4.0/30", "224.0.0.0/4", "0.0.0.0/8"})
  void someRangesAreNeverOpen(String cidr) {
    assertThatThrownBy(() -> ranges(cidr))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessage(
            "'%s' cannot be among the allowlist's cidrs: loopback, link-local and metadata,"
                + " multicast, reserved addresses and those of other sandboxes are never"
                + " reachable.",
            cidr);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10.0.0.1/8 | the range of that length begins at 10.0.0.0/8",
        "10.0.0.0/33 | /33 is more than /32",
        "10.0.0.256 | 256 is more than 255",
        "010.0.0.1 | it is not of the form a.b.c.d/n",
        "10.0.1 | it is not of the form a.b.c.d/n",
        "10.0.0.0/08 | it is not of the form a.b.c.d/n",
        "example.org | it is not of the form a.b.c.d/n",
        "'10.0.0.0/8; drop' | it is not of the form a.b.c.d/n",
        "2001:db8::/32 | sandboxes have no IPv6"
      })
  void aRangeIsReadStrictly(String cidr, String reason) {
    assertThatThrownBy(() -> EgressRules.check(new Egress.Allowlist(List.of(), List.of(cidr))))
        .hasMessage("'%s' cannot be among the allowlist's cidrs: %s.", cidr, reason);
  }

  @Test
  void aNameStandsForItselfAndAStarForAllBelow() {
    assertThat(names("Example.ORG.").answers("example.org")).isTrue();
    assertThat(names("example.org").answers("www.example.org")).isFalse();
    assertThat(names("*.example.org").answers("a.b.example.org")).isTrue();
    assertThat(names("*.example.org").answers("example.org")).isFalse();
    assertThat(names("*.example.org").answers("badexample.org")).isFalse();
    assertThat(names("*.example.org").answers("example.org.evil.com")).isFalse();
    assertThat(names("*.example.org").answers("")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "*",
        "*.",
        "a..b",
        "-a.org",
        "a-.org",
        "a.*.org",
        "*a.org",
        "**.org",
        "exa mple.org",
        "exämple.org",
        "example.org:443",
        "https://example.org",
        "1.2.3.4",
        "a\nb.org",
        "a\"b.org"
      })
  void aNameIsReadStrictly(String name) {
    assertThatThrownBy(() -> EgressRules.check(new Egress.Allowlist(List.of(name), List.of())))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("cannot be among the allowlist's domains: ");
  }

  @Test
  void listsAndNamesHaveBounds() {
    assertThatThrownBy(() -> names("a".repeat(64) + ".org")).isInstanceOf(ForkdException.class);
    assertThatThrownBy(() -> names("abc.".repeat(64) + "org")).isInstanceOf(ForkdException.class);
    List<String> many = Collections.nCopies(257, "example.org");
    assertThatThrownBy(() -> EgressRules.check(new Egress.Allowlist(many, List.of())))
        .hasMessage("an allowlist has at most 256 domains, not 257.");
  }

  @Test
  void theSameRulesHaveTheSameMarkAndOthersAnother() {
    assertThat(names("a.org").mark()).isEqualTo(names("A.org").mark()).isPositive();
    assertThat(List.of(names("b.org").mark(), Reach.NOBODY.mark(), ranges("1.1.1.1").mark()))
        .doesNotHaveDuplicates()
        .doesNotContain(names("a.org").mark());
  }
}

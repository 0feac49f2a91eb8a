package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class ResolvConfTest {
  @Test
  void onlyAddressesAreServersAndAtMostThree() throws Exception {
    String text =
        """
        # made by hand
        search example.org
        nameserver 127.0.0.53
          nameserver\t2001:db8::1 # the second
        nameserver ns.example.org
        nameserver
        options edns0
        nameserver 192.0.2.1
        nameserver 192.0.2.2
        """;
    assertThat(ResolvConf.parse(text))
        .extracting(server -> server.getAddress().getHostAddress())
        .containsExactly("127.0.0.53", "2001:db8:0:0:0:0:0:1", "192.0.2.1");
  }

  @Test
  void withoutAnyThisHostIsAsked() throws Exception {
    assertThat(ResolvConf.parse(""))
        .containsExactly(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 53));
  }
}

package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.GuestNet;
import io.forkd.image.GuestImage;
import io.forkd.linux.Fd;
import io.forkd.linux.HostCommand;
import io.forkd.linux.Netns;
import io.forkd.linux.Spawn;
import io.forkd.linux.Tap;
import io.forkd.vmm.Vmm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The guest's NIC on a real wire, and a guest that is taken off it and put back. */
@Tag("vm")
@Timeout(600)
class NicVmTest {
  private static final String TAP = "tap0";
  private static final int PORT = 8080;

  private final Vmm vmm = Host.detect().openVmm();
  private final GuestImage image = BareVm.image();
  private Netns netns;
  private ServerSocketChannel server;

  @BeforeEach
  void makeNetwork() throws IOException {
    netns = Netns.create("fkt-nic-" + ProcessHandle.current().pid());
    Tap.create(netns, TAP);
    ip("link", "set", TAP, "address", GuestNet.GATEWAY_MAC);
    ip("addr", "add", GuestNet.GATEWAY + "/" + GuestNet.PREFIX, "dev", TAP);
    ip("link", "set", TAP, "up");
    server =
        netns.call(
            () ->
                ServerSocketChannel.open(StandardProtocolFamily.INET)
                    .bind(new InetSocketAddress(InetAddress.ofLiteral(GuestNet.GATEWAY), PORT)));
    Thread.ofVirtual().start(this::greetAll);
  }

  @AfterEach
  void removeNetwork() throws IOException {
    server.close();
    netns.delete();
  }

  @Test
  void aGuestOnAWireReachesItsGatewayAlsoAfterItWasTakenOffAndPutBack() {
    try (BareVm.Saved saved = bootAndSave(true)) {
      try (BareVm unwired = BareVm.restore(vmm, image, saved, Optional.empty())) {
        assertServesQuietly(unwired);
      }
      try (Fd tap = Tap.open(netns, TAP);
          BareVm wired = BareVm.restore(vmm, image, saved, Optional.of(tap))) {
        assertReachesGateway(wired);
      }
    }
  }

  @Test
  void aGuestThatWasNeverOnAWireIsPutOnOne() {
    try (BareVm.Saved saved = bootAndSave(false)) {
      for (int i = 0; i < 2; i++) {
        try (Fd tap = Tap.open(netns, TAP);
            BareVm wired = BareVm.restore(vmm, image, saved, Optional.of(tap))) {
          assertReachesGateway(wired);
        }
      }
      try (BareVm unwired = BareVm.restore(vmm, image, saved, Optional.empty())) {
        assertServesQuietly(unwired);
      }
    }
  }

  private BareVm.Saved bootAndSave(boolean wired) {
    Optional<Fd> tap = wired ? Optional.of(Tap.open(netns, TAP)) : Optional.empty();
    try (BareVm vm = BareVm.boot(vmm, image, tap)) {
      vm.eval("import socket");
      assertConfigured(vm);
      if (wired) {
        assertReachesGateway(vm);
      }
      return vm.save();
    } finally {
      tap.ifPresent(Fd::close);
    }
  }

  private static void assertConfigured(BareVm vm) {
    assertThat(vm.sh("cat /sys/class/net/eth0/address")).isEqualTo(GuestNet.MAC);
    assertThat(vm.sh("cat /sys/class/net/eth0/mtu")).isEqualTo("1500");
    assertThat(vm.sh("cat /etc/resolv.conf")).isEqualTo("nameserver " + GuestNet.GATEWAY);
    assertThat(vm.sh("grep -c eth0 /proc/net/if_inet6 || true")).as("IPv6").isEqualTo("0");
    assertThat(vm.sh("cat /proc/net/fib_trie")).contains("-- " + GuestNet.ADDRESS);
    assertThat(vm.sh("cat /proc/net/route")).containsPattern("eth0\\s+00000000\\s+01FF1EAC");
  }

  private static void assertServesQuietly(BareVm unwired) {
    assertThat(unwired.eval("6 * 7")).isEqualTo("42");
    assertThat(unwired.sh("cat /sys/class/net/eth0/address")).isEqualTo(GuestNet.MAC);
    assertThat(unwired.log().lines()).hasSizeLessThan(2).allMatch(l -> l.endsWith("has no peer"));
  }

  private static void assertReachesGateway(BareVm vm) {
    assertThat(
            vm.eval(
                "socket.create_connection(('%s', %d), 60).recv(100).decode()"
                    .formatted(GuestNet.GATEWAY, PORT)))
        .isEqualTo("'hello " + GuestNet.ADDRESS + "'");
  }

  private void greetAll() {
    while (server.isOpen()) {
      try (SocketChannel client = server.accept()) {
        InetSocketAddress from = (InetSocketAddress) client.getRemoteAddress();
        String hello = "hello " + from.getAddress().getHostAddress();
        client.write(ByteBuffer.wrap(hello.getBytes(StandardCharsets.UTF_8)));
      } catch (IOException e) {
        // The client or the server has gone.
      }
    }
  }

  private void ip(String... arguments) {
    var output =
        HostCommand.run(Spawn.find("ip").orElseThrow(), List.of(arguments), "", Optional.of(netns));
    assertThat(output.success()).as(output.text()).isTrue();
  }
}

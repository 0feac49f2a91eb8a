package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PortTunnelTest {
  private static final String ID = "sb-0123456789-0000";

  @Test
  void bytesGoBothWaysAndEachWayEndsByItself() throws IOException {
    byte[] all = new byte[3_000_000];
    new Random(3).nextBytes(all);
    try (FakeDaemon daemon = FakeDaemon.start((request, out) -> false);
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      // Says nothing back until it has heard the end.
      daemon.tunnel((in, out) -> out.write(in.readAllBytes()));
      try (PortTunnel tunnel = client.connectPort(ID, 8000)) {
        tunnel.output().write(all);
        tunnel.output().close();
        assertThat(tunnel.input().readAllBytes()).isEqualTo(all);
      }
      FakeDaemon.Request asked = daemon.requests().getFirst();
      assertThat(asked.method() + " " + asked.path())
          .isEqualTo("GET /v1/sandboxes/%s/ports/8000".formatted(ID));
      assertThat(asked.headers())
          .containsEntry("upgrade", "forkd-tcp")
          .containsEntry("connection", "Upgrade");
    }
  }

  @Test
  void bothWaysMoveAtOnce() throws Exception {
    try (FakeDaemon daemon = FakeDaemon.start((request, out) -> false);
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      daemon.tunnel(InputStream::transferTo);
      try (PortTunnel tunnel = client.connectPort(ID, 8000)) {
        byte[] all = new byte[8 << 20];
        new Random(4).nextBytes(all);
        // More than the sockets hold: one that could only do one thing at a time would stand still.
        CompletableFuture<Void> sending =
            CompletableFuture.runAsync(() -> write(tunnel.output(), all));
        assertThat(tunnel.input().readNBytes(all.length)).isEqualTo(all);
        sending.get(30, TimeUnit.SECONDS);
      }
    }
  }

  private static void write(OutputStream out, byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void closingEndsAWaitForBytes() throws Exception {
    try (FakeDaemon daemon = FakeDaemon.start((request, out) -> false);
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      daemon.tunnel((in, out) -> in.readAllBytes());
      PortTunnel tunnel = client.connectPort(ID, 8000);
      CompletableFuture<Object> reading =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return tunnel.input().read();
                } catch (IOException e) {
                  return e;
                }
              });
      tunnel.close();
      assertThat(reading.get(30, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void aRefusalIsToldInTheDaemonsWords() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  out.write(
                      FakeDaemon.reply(502, "", "{\"error\":\"Nothing listens.\"}")
                          .getBytes(UTF_8));
                  return true;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertThatThrownBy(() -> client.connectPort(ID, 1))
          .isInstanceOfSatisfying(
              ForkdClientException.class, e -> assertThat(e.status()).isEqualTo(502))
          .hasMessage("Nothing listens.");
    }
  }

  @Test
  void aDaemonThatIsNotThereOrSpeaksNonsenseIsSaidToBeSo() throws IOException {
    Endpoint nobody = Endpoint.unix(Path.of("/tmp/forkd-nobody.sock"));
    try (ForkdClient client = ForkdClient.connect(nobody)) {
      assertThatThrownBy(() -> client.connectPort(ID, 1))
          .isInstanceOfSatisfying(
              ForkdClientException.class,
              e -> assertThat(e.status()).isEqualTo(ForkdClientException.UNREACHABLE));
    }
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  out.write("nonsense\r\n\r\n".getBytes(UTF_8));
                  return false;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      assertThatThrownBy(() -> client.connectPort(ID, 1))
          .isInstanceOfSatisfying(
              ForkdClientException.class,
              e -> assertThat(e.status()).isEqualTo(ForkdClientException.BROKEN));
    }
  }

  @Test
  void overTcpTheTokenAndThePathOfTheAddressTravelToo() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<String> head = CompletableFuture.supplyAsync(() -> serveOne(listener));
      URI base = URI.create("http://127.0.0.1:%d/forkd/".formatted(listener.getLocalPort()));
      try (ForkdClient client = ForkdClient.connect(new Endpoint.Tcp(base, Optional.of("secret")));
          PortTunnel tunnel = client.connectPort(ID, 80)) {
        assertThat(tunnel.input().readNBytes(2)).isEqualTo("hi".getBytes(UTF_8));
        tunnel.output().close();
        assertThat(tunnel.input().readAllBytes()).isEmpty();
      }
      assertThat(head.get(30, TimeUnit.SECONDS))
          .startsWith("GET /forkd/v1/sandboxes/%s/ports/80 HTTP/1.1\r\n".formatted(ID))
          .contains("Host: 127.0.0.1:%d\r\n".formatted(listener.getLocalPort()))
          .contains("Authorization: Bearer secret\r\n");
    }
  }

  private static String serveOne(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) socket.getInputStream().read());
      }
      // What the guest says first comes with the answer.
      socket
          .getOutputStream()
          .write("HTTP/1.1 101 x\r\nUpgrade: forkd-tcp\r\n\r\nhi".getBytes(UTF_8));
      socket.getInputStream().readAllBytes();
      return head.toString();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}

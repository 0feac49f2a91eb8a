package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NetTransportTest {
  @Test
  void theTokenTravelsWithEveryCall() throws IOException {
    List<String> tokens = new ArrayList<>();
    HttpServer server =
        serving(
            exchange -> {
              tokens.add(exchange.getRequestHeaders().getFirst("Authorization"));
              exchange.sendResponseHeaders(200, 2);
              exchange.getResponseBody().write("[]".getBytes(UTF_8));
              exchange.close();
            });
    try (ForkdClient client = ForkdClient.connect(endpoint(server))) {
      assertThat(client.snapshots()).isEmpty();
      assertThat(tokens).containsExactly("Bearer secret");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aSnapshotsStepsComeOverTcpToo() throws IOException {
    HttpServer server =
        serving(
            exchange -> {
              exchange.getResponseHeaders().add("Content-Type", "application/x-ndjson");
              exchange.sendResponseHeaders(200, 0);
              exchange
                  .getResponseBody()
                  .write(
                      "{\"step\":\"boot\",\"detail\":\"d\"}\n{\"heartbeat\":true}\n{\"snapshot\":{\"tag\":\"t\"}}\n"
                          .getBytes(UTF_8));
              exchange.close();
            });
    try (ForkdClient client = ForkdClient.connect(endpoint(server))) {
      List<String> steps = new ArrayList<>();
      SnapshotInfo snapshot =
          client.createSnapshot(SnapshotRequest.ofRecipe("t", "r"), (s, d) -> steps.add(s));
      assertThat(snapshot.tag()).isEqualTo("t");
      assertThat(steps).containsExactly("boot");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aRefusedStreamCarriesTheReason() throws IOException {
    HttpServer server =
        serving(
            exchange -> {
              byte[] body = "{\"error\":\"tag exists\"}".getBytes(UTF_8);
              exchange.sendResponseHeaders(409, body.length);
              exchange.getResponseBody().write(body);
              exchange.close();
            });
    try (ForkdClient client = ForkdClient.connect(endpoint(server))) {
      assertThatThrownBy(
              () -> client.createSnapshot(SnapshotRequest.ofRecipe("t", "r"), (s, d) -> {}))
          .hasMessage("tag exists");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aClosedPortIsUnreachable() throws IOException {
    HttpServer server = serving(exchange -> {});
    server.stop(0);
    try (ForkdClient client = ForkdClient.connect(endpoint(server))) {
      assertThat(client.healthy(Duration.ofSeconds(2))).isFalse();
      assertThatThrownBy(client::snapshots)
          .isInstanceOfSatisfying(
              ForkdClientException.class,
              e -> assertThat(e.status()).isEqualTo(ForkdClientException.UNREACHABLE));
    }
  }

  @Test
  void anAddressThatIsNoneIsRefused() {
    assertThatThrownBy(() -> Endpoint.parse("ftp://x", Optional.empty()))
        .hasMessageContaining("http://host:port");
    assertThatThrownBy(() -> Endpoint.parse("http://a b", Optional.empty()))
        .hasMessageContaining("http://host:port");
  }

  private static HttpServer serving(HttpHandler handler) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", handler);
    server.start();
    return server;
  }

  private static Endpoint endpoint(HttpServer server) {
    return Endpoint.parse(
        "http://127.0.0.1:" + server.getAddress().getPort(), Optional.of("secret"));
  }
}

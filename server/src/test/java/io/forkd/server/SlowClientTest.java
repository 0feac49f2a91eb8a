package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that hold on to what they do not use; the server lets go of them, whoever is patient. */
@Timeout(120)
class SlowClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.impatient(PATIENCE);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void aHeaderThatTricklesInIsCutOff() throws Exception {
    try (Wire wire = server.tcp()) {
      wire.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      assertThat(tricklesUntilCutOff(wire, "a")).isTrue();
    }
    assertThat(server.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void soIsTheNextHeaderOnAKeptConnection() throws Exception {
    try (Wire wire = server.tcp()) {
      for (int i = 0; i < 3; i++) {
        wire.request("GET", "/healthz", "");
        assertThat(wire.answer().status()).isEqualTo(200);
      }
      wire.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      assertThat(tricklesUntilCutOff(wire, "a")).isTrue();
    }
  }

  @Test
  void aBodyThatTricklesInIsRefused() throws Exception {
    try (Wire wire = server.tcp()) {
      wire.send(
          "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{");
      assertThat(tricklesUntilCutOff(wire, " ")).isTrue();
    }
    assertThat(server.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void aConnectionThatKeepsAskingIsKept() throws Exception {
    try (Wire wire = server.tcp()) {
      long end = System.nanoTime() + 2 * PATIENCE.toNanos();
      while (System.nanoTime() < end) {
        wire.request("GET", "/healthz", "");
        assertThat(wire.answer().status()).isEqualTo(200);
        Thread.sleep(PATIENCE.dividedBy(6));
      }
    }
  }

  @Test
  void clientsThatStopReadingHoldUpNobodyAndAreLetGo() throws Exception {
    String id = server.fork();
    List<Wire> stuck = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        // Its buffers are small, so that the server notices soon.
        Wire wire = server.unix();
        stuck.add(wire);
        wire.request("POST", "/v1/sandboxes/" + id + "/eval", "{\"code\":\"huge\"}");
      }
      for (int i = 0; i < 20; i++) {
        assertThat(server.get("/v1/sandboxes/" + id).status()).isEqualTo(200);
      }
      // Long enough for the server to lose patience with who does not read.
      Thread.sleep(PATIENCE.multipliedBy(4));
      for (Wire wire : stuck) {
        assertThatThrownBy(() -> requireWhole(wire.answer())).isInstanceOf(IOException.class);
      }
    } finally {
      for (Wire wire : stuck) {
        wire.close();
      }
    }
  }

  private static void requireWhole(Answer answer) throws IOException {
    if (answer.bytes().length < 4 << 20) {
      throw new IOException("the answer was cut off");
    }
  }

  /** Whether the server gives up on a client that sends a byte now and then. */
  private static boolean tricklesUntilCutOff(Wire wire, String drop) throws InterruptedException {
    for (int i = 0; i < 200; i++) {
      try {
        wire.send(drop);
      } catch (IOException e) {
        return true;
      }
      Thread.sleep(PATIENCE.dividedBy(6));
    }
    return false;
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many clients at once, slow ones and rude ones. */
@Timeout(60)
class LoadTest {
  @Test
  void sixtyFourEvalsRunAtOnce() throws Exception {
    try (TestServer server = TestServer.open();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      String path = "/v1/sandboxes/" + server.fork() + "/eval";
      List<Callable<Answer>> calls = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        boolean unix = i % 2 == 0;
        calls.add(
            () -> {
              try (Wire wire = unix ? server.unix() : server.tcp()) {
                wire.request("POST", path, "{\"code\":\"meet\"}");
                return wire.answer();
              }
            });
      }
      for (Future<Answer> answer : threads.invokeAll(calls)) {
        assertThat(answer.get().json().path("result").asString()).isEqualTo("met");
      }
    }
  }

  @Test
  void clientsThatSendHalfARequestBlockNobody() throws IOException {
    try (TestServer server = TestServer.open()) {
      List<Wire> slow = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        Wire wire = i % 2 == 0 ? server.unix() : server.tcp();
        slow.add(wire);
        if (i % 3 == 0) {
          wire.send("POST /v1/sandb");
        } else {
          wire.send(
              "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{");
        }
      }
      assertThat(server.fork()).startsWith("sb-");
      for (Wire wire : slow) {
        wire.close();
      }
      assertThat(server.get("/healthz").status()).isEqualTo(200);
    }
  }

  @Test
  void aClientThatDoesNotReadBlocksNobody() throws IOException {
    try (TestServer server = TestServer.open();
        Wire deaf = server.tcp()) {
      String path = "/v1/sandboxes/" + server.fork() + "/eval";
      String body = "{\"code\":\"" + "x".repeat(1_000_000) + "\"}";
      for (int i = 0; i < 3; i++) {
        deaf.request("POST", path, body);
      }
      assertThat(server.get("/healthz").status()).isEqualTo(200);
    }
  }

  @Test
  void aBodyThatStopsArrivingIsGivenUp() throws IOException {
    try (TestServer server = TestServer.impatient(Duration.ofMillis(300));
        Wire wire = server.tcp()) {
      wire.send("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{");
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(408);
      assertThat(answer.error()).contains("did not arrive");
      assertThat(wire.closedByServer()).isTrue();
    }
  }

  @Test
  void aSilentConnectionIsClosed() throws IOException {
    try (TestServer server = TestServer.impatient(Duration.ofMillis(300));
        Wire wire = server.unix()) {
      assertThat(wire.closedByServer()).isTrue();
    }
  }

  @Test
  void longWorkIsNotTakenForIdleness() throws Exception {
    try (TestServer server = TestServer.impatient(Duration.ofMillis(200));
        Wire wire = server.tcp()) {
      wire.request("POST", "/v1/sandboxes/" + server.fork() + "/eval", "{\"code\":\"wait\"}");
      server.forkd.guest.evalBegun.await();
      // Longer than several idle timeouts.
      Thread.sleep(1_000);
      server.forkd.guest.evalGate.countDown();
      assertThat(wire.answer().json().path("result").asString()).isEqualTo("waited");
    }
  }

  @Test
  void stoppingGivesUpOnRequestsThatTakeTooLong() throws Exception {
    try (TestServer server = TestServer.quickToStop();
        Wire wire = server.tcp()) {
      wire.request("POST", "/v1/sandboxes/" + server.fork() + "/eval", "{\"code\":\"wait\"}");
      server.forkd.guest.evalBegun.await();
      server.stop();
      assertThatThrownBy(wire::answer).isInstanceOf(IOException.class);
    }
  }

  @Test
  void stoppingLetsRequestsFinishAndTakesNoNewOnes() throws Exception {
    TestServer server = TestServer.open();
    try (Wire wire = server.tcp()) {
      wire.request("POST", "/v1/sandboxes/" + server.fork() + "/eval", "{\"code\":\"wait\"}");
      server.forkd.guest.evalBegun.await();
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::stop);
      assertThatThrownBy(
              () -> {
                while (true) {
                  server.tcp().close();
                  Thread.sleep(10);
                }
              })
          .isInstanceOf(IOException.class);
      assertThat(server.socket).doesNotExist();
      server.forkd.guest.evalGate.countDown();
      assertThat(wire.answer().json().path("result").asString()).isEqualTo("waited");
      stopped.join();
    } finally {
      server.close();
    }
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Branches seen while they are being taken and written. */
@Timeout(60)
class BranchProgressTest {
  private final TestServer server = TestServer.open();
  private final List<Wire> wires = new ArrayList<>();
  private final CountDownLatch gate = new CountDownLatch(1);
  private String path;

  @BeforeEach
  void fork() throws IOException {
    path = "/v1/sandboxes/" + server.fork() + "/branch";
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    for (Wire wire : wires) {
      wire.close();
    }
    server.close();
  }

  @Test
  void whoDoesNotWaitSeesItWrittenAndReady() throws Exception {
    server.forkd.branches.diskGate = gate;
    Answer answer = server.post(path, "{\"tag\":\"t\",\"mode\":\"live\",\"wait\":false}");
    assertThat(answer.status()).isEqualTo(201);
    JsonNode writing = answer.json();
    assertThat(writing.path("status").asString()).isEqualTo("writing");
    assertThat(writing.path("diff_physical_bytes").asLong()).isEqualTo(8192);
    assertThat(writing.path("diff_logical_bytes").asLong()).isEqualTo(8192);
    assertThat(writing.path("pause_ms").asDouble()).isEqualTo(7.25);
    assertThat(info("t").path("status").asString()).isEqualTo("writing");
    gate.countDown();
    JsonNode ready = infoOnceNot("writing", "t");
    assertThat(ready.path("status").asString()).isEqualTo("ready");
    assertThat(ready.path("diff_physical_bytes").asLong()).isEqualTo(5000);
    assertThat(ready.path("memory_physical_bytes").asLong()).isEqualTo(5000);
  }

  @Test
  void whoDoesNotWaitSeesItFail() throws Exception {
    server.forkd.branches.diskGate = gate;
    assertThat(server.post(path, "{\"tag\":\"too-large\",\"wait\":false}").status()).isEqualTo(201);
    gate.countDown();
    JsonNode failed = infoOnceNot("writing", "too-large");
    assertThat(failed.path("status").asString()).isEqualTo("failed");
    assertThat(failed.path("bootable").asBoolean()).isFalse();
    assertThat(failed.path("warning").asString()).contains("The disk is full");
  }

  @Test
  void whoWaitsIsAnsweredWhenItIsOnDisk() throws Exception {
    server.forkd.branches.diskGate = gate;
    Wire waiting = begin("t");
    while (!server
        .get("/v1/snapshots/t/info")
        .json()
        .path("status")
        .asString("")
        .equals("writing")) {
      Thread.sleep(10);
    }
    gate.countDown();
    assertThat(waiting.answer().json().path("status").asString()).isEqualTo("ready");
  }

  @Test
  void aTagInFlightIsTaken() throws Exception {
    server.forkd.branches.captureGate = gate;
    Wire first = begin("same");
    awaitInFlight(1);
    Answer second = server.post(path, "{\"tag\":\"same\"}");
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.error()).isEqualTo("A branch same is in flight: use another tag.");
    assertThat(second.headers()).doesNotContainKey("retry-after");
    gate.countDown();
    assertThat(first.answer().status()).isEqualTo(201);
  }

  @Test
  void tooManyAtOnceAreToldToComeBack() throws Exception {
    server.forkd.branches.captureGate = gate;
    for (int i = 0; i < FakeBranches.CAP; i++) {
      begin("t" + i);
    }
    awaitInFlight(FakeBranches.CAP);
    assertThat(server.get("/metrics").text())
        .contains("\nforkd_branches_in_flight 4\n", "\nforkd_branch_concurrency_cap 4\n");
    for (String route : new String[] {path, path.replace("/branch", "/fork")}) {
      Answer refused = server.post(route, "{\"tag\":\"one-more\"}");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("retry-after")).isEqualTo("1");
      assertThat(refused.error()).isEqualTo("4 branches are in flight: try again.");
    }
    gate.countDown();
    for (Wire wire : wires) {
      assertThat(wire.answer().status()).isEqualTo(201);
    }
    assertThat(server.post(path, "{\"tag\":\"one-more\"}").status()).isEqualTo(201);
    awaitInFlight(0);
  }

  private Wire begin(String tag) throws IOException {
    Wire wire = server.unix();
    wires.add(wire);
    wire.request("POST", path, "{\"tag\":\"%s\"}".formatted(tag));
    return wire;
  }

  private void awaitInFlight(int count) throws Exception {
    while (server.get("/v1/status").json().path("branching").path("in_flight").asInt() != count) {
      Thread.sleep(10);
    }
  }

  private JsonNode infoOnceNot(String status, String tag) throws Exception {
    JsonNode info = info(tag);
    while (info.path("status").asString().equals(status)) {
      Thread.sleep(10);
      info = info(tag);
    }
    return info;
  }

  private JsonNode info(String tag) throws IOException {
    return server.get("/v1/snapshots/" + tag + "/info").json();
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.core.Readiness;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HealthApiTest {
  private static final String BEARER = "Authorization: Bearer " + TestServer.TOKEN;

  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.withToken();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private void breakData() {
    server.forkd.readiness =
        new Readiness(
            List.of(
                new Readiness.Check("vmm", true, "qemu 7.2"),
                new Readiness.Check("data", false, "/var/lib/forkd is full")));
  }

  @Test
  void aDaemonThatCanWorkIsReady() throws IOException {
    Answer answer = server.get("/readyz", BEARER);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json())
        .isEqualTo(
            Answer.parse(
                """
                {"ready":true,"checks":[{"name":"data","ok":true,"detail":"can be written"}]}\
                """));
  }

  @Test
  void oneThatCannotSaysWhatStandsInItsWay() throws IOException {
    breakData();
    Answer answer = server.get("/readyz", BEARER);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.json().path("ready").asBoolean()).isFalse();
    assertThat(answer.json().path("checks").path(1).path("detail").asString())
        .isEqualTo("/var/lib/forkd is full");
  }

  @Test
  void strangersHearNoDetails() throws IOException {
    breakData();
    Answer answer = server.get("/readyz");
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.text()).isEqualTo("{\"ready\":false}");
    assertThat(server.get("/readyz", "Authorization: Bearer wrong").text())
        .isEqualTo("{\"ready\":false}");
  }

  @Test
  void itIsAliveWhenItIsNotReady() throws IOException {
    breakData();
    assertThat(server.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void metricsAreNotForWhoeverIsBoundToAnOwner() throws IOException {
    String key = key("{\"name\":\"k\",\"role\":\"read_only\",\"owner\":\"alice\"}");
    Answer refused = server.get("/metrics", "Authorization: Bearer " + key);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.error()).contains("bound to no owner");
    String free = key("{\"name\":\"prometheus\",\"role\":\"read_only\"}");
    assertThat(server.get("/metrics", "Authorization: Bearer " + free).status()).isEqualTo(200);
  }

  private String key(String body) throws IOException {
    return server.post("/v1/keys", body, BEARER).json().path("key").asString();
  }
}

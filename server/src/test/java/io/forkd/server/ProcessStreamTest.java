package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Many, long and broken streams of processes. */
@Timeout(120)
class ProcessStreamTest {
  private static final int EIGHT_MEGABYTES = 8 << 20;
  private static final String FLOOD =
      "{\"cmd\":\"head -c %d /dev/zero | tr '\\\\0' x\"}".formatted(EIGHT_MEGABYTES);

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.forkd.guests.close();
    server.close();
  }

  private Lines stream(String id, String body) throws IOException {
    return Lines.of(server, "POST", "/v1/sandboxes/" + id + "/processes?stream=true", body);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10})
  void fiftyCommandsStreamAtOnce(int sandboxes) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < sandboxes; i++) {
      ids.add(server.fork());
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<JsonNode>>> all = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        String id = ids.get(i % sandboxes);
        String body =
            "{\"cmd\":\"for i in 1 2 3 4 5; do echo %d.$i; sleep 0.1; done\"}".formatted(i);
        all.add(
            threads.submit(
                () -> {
                  try (Lines lines = stream(id, body)) {
                    return lines.rest();
                  }
                }));
      }
      for (int i = 0; i < 50; i++) {
        List<JsonNode> lines = all.get(i).get();
        assertThat(Lines.text(lines, "stdout"))
            .isEqualTo("%d.1\n%d.2\n%d.3\n%d.4\n%d.5\n".formatted(i, i, i, i, i));
        assertThat(lines.getLast().path("code").asInt(-1)).isZero();
      }
    }
  }

  @Test
  void eightMegabytesComeWhole() throws IOException {
    try (Lines lines = stream(server.fork(), FLOOD)) {
      lines.next("start");
      List<JsonNode> rest = lines.rest();
      assertThat(Lines.text(rest, "stdout").length()).isEqualTo(EIGHT_MEGABYTES);
      assertThat(rest.getLast().path("code").asInt(-1)).isZero();
    }
  }

  @Test
  void whoReadsSlowlyGetsItAllAndHoldsUpNobodyElse() throws Exception {
    String id = server.fork();
    try (Lines slow = stream(id, FLOOD)) {
      slow.next("start");
      try (Lines quick = stream(id, FLOOD)) {
        assertThat(Lines.text(quick.rest(), "stdout").length()).isEqualTo(EIGHT_MEGABYTES);
      }
      assertThat(Lines.text(slow.rest(), "stdout").length()).isEqualTo(EIGHT_MEGABYTES);
    }
  }

  @Test
  void aGuestThatDiesEndsEveryStreamWithAnError() throws Exception {
    String id = server.fork();
    List<Lines> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Lines lines = stream(id, "{\"args\":[\"sleep\",\"1000\"]}");
      lines.next("start");
      all.add(lines);
    }
    server.forkd.guests.close();
    for (Lines lines : all) {
      assertThat(lines.next("error").path("error").asString()).isNotBlank();
      assertThat(lines.rest()).isEmpty();
      lines.close();
    }
  }

  @Test
  void theDaemonsStopEndsEveryStream() throws Exception {
    try (Lines lines = stream(server.fork(), "{\"args\":[\"sleep\",\"1000\"]}")) {
      lines.next("start");
      server.stop();
      assertThat(lines.next("error").path("error").asString()).contains("stopping");
      assertThat(lines.rest()).isEmpty();
    }
  }

  @Test
  void openStreamsAreCounted() throws Exception {
    try (Lines lines = stream(server.fork(), "{\"args\":[\"sleep\",\"1000\"]}")) {
      lines.next("start");
      assertThat(server.get("/metrics").text())
          .contains("forkd_guest_streams_open{kind=\"process\"} 1");
      server.forkd.guests.close();
      lines.rest();
    }
    while (!server.get("/metrics").text().contains("streams_open{kind=\"process\"} 0")) {
      Thread.sleep(10);
    }
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class EventsApiTest {
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

  private void tell(String subject, String owner) {
    Optional<String> whose = Optional.of(owner).filter(name -> !name.isEmpty());
    server.forkd.events.tell("sandbox.created", subject, whose, Map.of("tag", "base"));
  }

  private Wire listen(String path, String... headers) throws IOException {
    Wire wire = server.tcp();
    wire.request("GET", path, "", headers);
    Answer head = wire.head();
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("content-type")).isEqualTo("text/event-stream");
    assertThat(wire.chunk()).isEqualTo("retry: 2000\n\n");
    return wire;
  }

  /** The next chunk that is not a heartbeat. */
  private static String next(Wire wire) throws IOException {
    String chunk = wire.chunk();
    while (chunk.startsWith(":")) {
      chunk = wire.chunk();
    }
    return chunk;
  }

  @Test
  void tellsWhatHappensFromNowOn() throws IOException {
    tell("sb-old", "");
    try (Wire wire = listen("/v1/events", BEARER)) {
      tell("sb-new", "alice");
      String text = next(wire);
      assertThat(text).startsWith("id: 2\nevent: sandbox.created\ndata: {").endsWith("}\n\n");
      var data = Answer.parse(text.lines().toList().get(2).substring("data: ".length()));
      assertThat(data.path("number").asLong()).isEqualTo(2);
      assertThat(data.path("type").asString()).isEqualTo("sandbox.created");
      assertThat(data.path("subject").asString()).isEqualTo("sb-new");
      assertThat(data.path("owner").asString()).isEqualTo("alice");
      assertThat(data.path("at_unix").isNumber()).isTrue();
      assertThat(data.path("details")).isEqualTo(Answer.parse("{\"tag\":\"base\"}"));
    }
  }

  @Test
  void tellsFirstWhatIsRememberedAfterTheLastOneHeard() throws IOException {
    for (int i = 1; i <= 5; i++) {
      tell("sb-" + i, "");
    }
    try (Wire wire = listen("/v1/events", BEARER, "Last-Event-ID: 3")) {
      assertThat(next(wire)).startsWith("id: 4\n");
      assertThat(next(wire)).startsWith("id: 5\n");
      tell("sb-6", "");
      assertThat(next(wire)).startsWith("id: 6\n");
    }
    try (Wire wire = listen("/v1/events?after=4", BEARER)) {
      assertThat(next(wire)).startsWith("id: 5\n");
    }
  }

  @Test
  void aNumberOfAnEarlierDaemonMeansEverything() throws IOException {
    tell("sb-1", "");
    try (Wire wire = listen("/v1/events", BEARER, "Last-Event-ID: 4000")) {
      assertThat(next(wire)).startsWith("id: 1\n");
    }
  }

  @Test
  void canEndAfterWhatIsRemembered() throws IOException {
    tell("sb-1", "");
    tell("sb-2", "");
    try (Wire wire = listen("/v1/events?after=0&follow=false", BEARER)) {
      assertThat(wire.answerRest()).contains("\"sb-1\"", "\"sb-2\"");
    }
  }

  @Test
  void aUserHearsOnlyOfItsOwnersThings() throws IOException {
    Answer made =
        server.post("/v1/keys", "{\"name\":\"a\",\"role\":\"user\",\"owner\":\"alice\"}", BEARER);
    tell("sb-bob", "bob");
    tell("sb-nobody", "");
    tell("sb-alice", "alice");
    String key = "Authorization: Bearer " + made.json().path("key").asString();
    try (Wire wire = listen("/v1/events?after=0&follow=false", key)) {
      assertThat(wire.answerRest())
          .contains("sb-alice")
          .doesNotContain("sb-bob")
          .doesNotContain("sb-nobody");
    }
  }

  @Test
  void silenceIsBrokenByComments() throws IOException {
    try (Wire wire = listen("/v1/events", BEARER)) {
      assertThat(wire.chunk()).isEqualTo(": nothing happened\n\n");
      assertThat(wire.chunk()).isEqualTo(": nothing happened\n\n");
    }
  }

  @Test
  void streamsEndWhenTheDaemonDoes() throws IOException {
    try (Wire wire = listen("/v1/events", BEARER)) {
      server.api.endStreams();
      assertThat(wire.answerRest()).matches("(: nothing happened\n\n)*");
    }
    try (Wire late = listen("/v1/events", BEARER)) {
      assertThat(late.answerRest()).isEmpty();
    }
  }

  @Test
  void aClientThatDoesNotReadIsCutOffAndHoldsUpNobody() throws IOException {
    try (Wire slow = listen("/v1/events", BEARER);
        Wire quick = listen("/v1/events", BEARER)) {
      String bulk = "x".repeat(10_000);
      // More than the sockets' buffers and the feed hold; the quick one reads along.
      for (int i = 1; i <= 6_000; i++) {
        server.forkd.events.tell("pool.set", "base", Optional.empty(), Map.of("bulk", bulk));
        assertThat(next(quick)).startsWith("id: %d\n".formatted(i));
      }
      assertThat(readToEnd(slow)).isLessThan(6_000);
    }
    try (Wire wire = server.tcp()) {
      wire.request("GET", "/metrics", "", BEARER);
      assertThat(
              MetricSamples.parse(wire.answer().text())
                  .value("forkd_event_listeners_dropped_total"))
          .isEqualTo(1);
    }
  }

  /** How many events came before the connection broke. */
  private static int readToEnd(Wire wire) {
    int events = 0;
    try {
      while (!wire.chunk().isEmpty()) {
        events++;
      }
      throw new AssertionError("The stream ended as if nothing were amiss");
    } catch (IOException e) {
      return events;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"after=x", "after=-1", "after=99999999999999999999", "follow=maybe"})
  void refusesOtherWishes(String query) throws IOException {
    assertThat(server.get("/v1/events?" + query, BEARER).status()).isEqualTo(400);
  }
}

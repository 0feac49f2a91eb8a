package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.FakeDaemon;
import io.forkd.client.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventsCommandTest {
  private final List<List<String>> streams = new ArrayList<>();
  private TestContext test;
  private FakeDaemon daemon;

  @BeforeEach
  void start() throws IOException {
    test = new TestContext();
    daemon = FakeDaemon.startOn(test.socket(), this::answer);
  }

  @AfterEach
  void stop() {
    daemon.close();
    test.close();
  }

  /** Each listener gets the next stream; after the last one nobody is let in any more. */
  private boolean answer(FakeDaemon.Request request, OutputStream out) throws IOException {
    if (request.path().equals("/healthz")) {
      out.write(FakeDaemon.reply(200, "", "{\"ok\":true}").getBytes(UTF_8));
      return true;
    }
    if (streams.isEmpty()) {
      out.write(FakeDaemon.reply(403, "", "{\"error\":\"no more\"}").getBytes(UTF_8));
      return true;
    }
    out.write(FakeDaemon.linesHead().getBytes(UTF_8));
    for (String chunk : streams.removeFirst()) {
      out.write(chunk.getBytes(UTF_8));
    }
    return false;
  }

  private static String event(int number, String details) {
    return FakeDaemon.chunk(
        """
        data: {"number":%d,"at_unix":1700000000,"type":"sandbox.ended","subject":"sb-%d",\
        "details":%s}

        """
            .formatted(number, number, details));
  }

  private List<String> asked() {
    return daemon.requests().stream()
        .map(FakeDaemon.Request::path)
        .filter(path -> path.startsWith("/v1/events"))
        .toList();
  }

  @Test
  void printsWhatIsRemembered() {
    streams.add(List.of(event(1, "{\"reason\":\"killed\",\"text\":\"two\\nlines\"}"), "0\r\n\r\n"));
    assertThat(test.run("events")).isEqualTo(0);
    assertThat(test.out())
        .matches(
            "\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  sandbox.ended        sb-1  reason=killed"
                + "  text=two\\^Jlines\n");
    assertThat(asked()).containsExactly("/v1/events?after=0&follow=false");
  }

  @Test
  void printsALineOfJsonEach() {
    streams.add(List.of(event(1, "{}"), event(2, "{}"), "0\r\n\r\n"));
    assertThat(Cli.run(test.with(Map.of()), "events", "--json")).isEqualTo(0);
    assertThat(test.out().lines().map(line -> Json.parseObject(line).number("number")))
        .containsExactly(1L, 2L);
  }

  @Test
  void goesOnAfterTheLastOneWhenTheDaemonRestartsOrDies() {
    streams.add(List.of(event(1, "{}"), "0\r\n\r\n"));
    streams.add(List.of(event(2, "{}")));
    streams.add(List.of(event(3, "{}"), "0\r\n\r\n"));
    assertThat(test.run("events", "--follow", "--json")).isEqualTo(1);
    assertThat(asked())
        .containsExactly(
            "/v1/events?after=0", "/v1/events?after=1", "/v1/events?after=2", "/v1/events?after=3");
    assertThat(test.err()).contains("no more");
  }
}

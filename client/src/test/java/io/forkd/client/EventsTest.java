package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventsTest {
  private static final String HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

  private static String event(int number) {
    return FakeDaemon.chunk(
        """
        id: %1$d
        event: sandbox.created
        data: {"number":%1$d,"at_unix":1700000000.25,"type":"sandbox.created","subject":"sb-%1$d",\
        "owner":"alice","details":{"tag":"base"}}

        """
            .formatted(number));
  }

  private static FakeDaemon telling(String... chunks) throws IOException {
    return FakeDaemon.start(
        (_, out) -> {
          out.write(HEAD.getBytes(UTF_8));
          for (String chunk : chunks) {
            out.write(chunk.getBytes(UTF_8));
          }
          return false;
        });
  }

  @Test
  void tellsWhatIsRememberedAndEnds() throws IOException {
    try (FakeDaemon daemon =
            telling(
                FakeDaemon.chunk("retry: 2000\n\n"),
                event(1),
                FakeDaemon.chunk(": nothing happened\n\n"),
                event(2),
                "0\r\n\r\n");
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      List<EventInfo> events = client.events().recent();
      assertThat(events).extracting(EventInfo::number).containsExactly(1L, 2L);
      EventInfo first = events.getFirst();
      assertThat(first.at()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_250L));
      assertThat(first.type()).isEqualTo("sandbox.created");
      assertThat(first.subject()).isEqualTo("sb-1");
      assertThat(first.owner()).contains("alice");
      assertThat(first.details()).containsEntry("tag", "base");
      FakeDaemon.Request request = daemon.requests().getFirst();
      assertThat(request.path()).isEqualTo("/v1/events?after=0&follow=false");
      assertThat(request.headers()).containsEntry("accept", "text/event-stream");
    }
  }

  @Test
  void aStreamThatBreaksIsNotBegunAgainBehindTheListenersBack() throws IOException {
    try (FakeDaemon daemon = telling(event(7));
        ForkdClient client = ForkdClient.patient(daemon.endpoint(), Duration.ofSeconds(5))) {
      List<Long> heard = new ArrayList<>();
      assertThatThrownBy(() -> client.events().follow(6, event -> heard.add(event.number())))
          .isInstanceOf(ForkdClientException.class);
      assertThat(heard).containsExactly(7L);
      assertThat(daemon.requests()).hasSize(1);
      assertThat(daemon.requests().getFirst().path()).isEqualTo("/v1/events?after=6");
    }
  }

  @Test
  void tellsWhatIsUsedAndHowMuchThereIs() throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  String use =
                      """
                      {"id":"sb-1","state":"running","cpu_ms":1.5,"private_bytes":10,\
                      "shared_bytes":20,"threads":3,"oom_kills":1}\
                      """;
                  String body =
                      switch (request.path()) {
                        case "/v1/sandboxes/usage" -> "[" + use + "]";
                        case "/v1/sandboxes/sb-1/usage" -> use;
                        default ->
                            """
                            {"budgets":[{"name":"sandboxes","used":3,"most":10},\
                            {"name":"disk","used":7}]}\
                            """;
                      };
                  out.write(FakeDaemon.reply(200, "", body).getBytes(UTF_8));
                  return true;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      SandboxUse use = client.usage().sandbox("sb-1");
      assertThat(client.usage().sandboxes()).containsExactly(use);
      assertThat(use.cpuMs()).isEqualTo(1.5);
      assertThat(use.privateBytes()).isEqualTo(10);
      assertThat(use.sharedBytes()).isEqualTo(20);
      assertThat(use.threads()).isEqualTo(3);
      assertThat(use.oomKills()).contains(1L);
      List<BudgetInfo> budgets = client.usage().budgets();
      assertThat(budgets).extracting(BudgetInfo::name).containsExactly("sandboxes", "disk");
      assertThat(budgets.get(0).most()).contains(10L);
      assertThat(budgets.get(1).most()).isEmpty();
    }
  }
}

package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.BudgetInfo;
import io.forkd.client.FakeDaemon;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TopCommandTest {
  private static String sandbox(String id, String state, String labels) {
    return """
    {"id":"%s","snapshot_tag":"base","created_at_unix":1700000000,"pid":1,"state":"%s",
     "labels":%s}\
    """
        .formatted(id, state, labels);
  }

  private static String use(String id, double cpuMs) {
    return """
    {"id":"%s","state":"running","cpu_ms":%s,"private_bytes":4194304,
     "shared_bytes":67108864,"threads":3}\
    """
        .formatted(id, cpuMs);
  }

  private static FakeRoutes daemon() throws IOException {
    return new FakeRoutes()
        .on(
            "GET /v1/sandboxes",
            200,
            "[%s,%s]"
                .formatted(
                    sandbox("sb-idle", "paused", "{}"),
                    sandbox("sb-busy", "running", "{\"job\":\"%s\"}".formatted("x".repeat(50)))))
        .on(
            "GET /v1/sandboxes/usage",
            200,
            "[%s,%s]".formatted(use("sb-idle", 0), use("sb-busy", 100)))
        .on(
            "GET /v1/capacity",
            200,
            """
            {"budgets":[{"name":"sandboxes","used":1,"most":10},{"name":"disk_mib","used":7}]}\
            """);
  }

  @Test
  void showsOneTableAndEnds() throws IOException {
    try (FakeRoutes daemon = daemon()) {
      assertThat(daemon.run("top", "--once")).isEqualTo(0);
      List<String> lines = daemon.out().lines().toList();
      assertThat(lines.get(0)).isEqualTo("1 running, 1 paused; cpu 0.0 %, private memory 8.0 MiB");
      assertThat(lines.get(1)).isEqualTo("Budgets: sandboxes 1 of 10, disk_mib 7");
      assertThat(lines.get(2)).startsWith("ID").contains("CPU %", "PRIVATE", "SHARED", "LABELS");
      assertThat(daemon.out())
          .contains("sb-busy", "running", "4.0 MiB", "64.0 MiB", "job=xxx", "…")
          .doesNotContain("\u001b");
      assertThat(lines).hasSize(5);
    }
  }

  @Test
  void tellsTheSameAsJson() throws IOException {
    try (FakeRoutes daemon = daemon()) {
      assertThat(daemon.run("top", "--once", "--json")).isEqualTo(0);
      JsonObject json = Json.parseObject(daemon.out());
      assertThat(json.objects("sandboxes"))
          .extracting(one -> one.text("id"))
          .containsExactly("sb-busy", "sb-idle");
      assertThat(json.objects("sandboxes").getFirst().number("private_bytes")).isEqualTo(4_194_304);
      assertThat(json.objects("budgets")).hasSize(2);
    }
  }

  @Test
  void theBusiestComesFirstAndPercentagesAreOfOneProcessor() throws IOException {
    AtomicInteger looks = new AtomicInteger();
    try (TestContext test = new TestContext();
        FakeDaemon _ =
            FakeDaemon.startOn(
                test.socket(),
                (request, out) -> {
                  String body =
                      switch (request.path()) {
                        case "/v1/sandboxes" ->
                            "[%s,%s]"
                                .formatted(
                                    sandbox("sb-a", "running", "{}"),
                                    sandbox("sb-b", "running", "{}"));
                        case "/v1/sandboxes/usage" ->
                            // Between the looks b spends an hour, whatever time passes.
                            "[%s,%s]"
                                .formatted(
                                    use("sb-a", 0),
                                    use("sb-b", looks.getAndIncrement() * 3_600_000.0));
                        default -> "{\"budgets\":[]}";
                      };
                  out.write(FakeDaemon.reply(200, "", body).getBytes(StandardCharsets.UTF_8));
                  return true;
                })) {
      assertThat(Cli.run(test.with(Map.of()), "top", "--once", "--json")).isEqualTo(0);
      List<JsonObject> sandboxes = Json.parseObject(test.out()).objects("sandboxes");
      assertThat(sandboxes.getFirst().text("id")).isEqualTo("sb-b");
      assertThat(sandboxes.getFirst().optionalDecimal("cpu_percent").orElse(0.0))
          .isGreaterThan(100);
      assertThat(sandboxes.getLast().optionalDecimal("cpu_percent")).contains(0.0);
    }
  }

  @Test
  void aScreenIsDrawnOverTheLastOneAndOnlyAsHighAsItIs() {
    TopSample none = new TopSample(0, List.of(), Map.of(), List.<BudgetInfo>of());
    Screen screen = new Screen();
    Terminal terminal =
        new Terminal(screen.lines(), System.err, System.in, true, false, false, false);
    new TopView(none, none).print(terminal, java.time.Instant.EPOCH, 1);
    assertThat(screen.frame())
        .startsWith("\u001b[H0 running, 0 paused")
        .contains("LABELS\u001b[K\n")
        .endsWith("\u001b[J");
    assertThat(Screen.rows()).isPositive();
  }
}

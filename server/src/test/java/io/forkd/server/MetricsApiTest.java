package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MetricsApiTest {
  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private MetricSamples scrape() throws IOException {
    Answer answer = server.get("/metrics");
    assertThat(answer.header("content-type")).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
    return MetricSamples.parse(answer.text());
  }

  @Test
  void aFreshDaemonHasEveryFamilyAtZero() throws IOException {
    MetricSamples metrics = scrape();
    for (String name : List.of("fork", "branch_pause", "exec", "eval")) {
      assertThat(metrics.type("forkd_%s_seconds".formatted(name))).isEqualTo("histogram");
      assertThat(metrics.value("forkd_%s_seconds_count".formatted(name))).isZero();
    }
    assertThat(metrics.value("forkd_snapshots_total")).isEqualTo(1);
    assertThat(metrics.value("forkd_sandboxes_active")).isZero();
    assertThat(metrics.value("forkd_sandboxes_paused")).isZero();
    assertThat(metrics.value("forkd_branches_in_flight")).isZero();
    assertThat(metrics.value("forkd_branch_concurrency_cap")).isEqualTo(4);
    assertThat(metrics.type("forkd_sandbox_ends_total")).isEqualTo("counter");
    assertThat(metrics.value("process_open_fds")).isPositive();
    assertThat(metrics.value("process_resident_memory_bytes")).isGreaterThan(1 << 20);
    assertThat(metrics.value("jvm_memory_used_bytes{area=\"heap\"}")).isPositive();
    assertThat(metrics.type("jvm_gc_seconds_total")).isEqualTo("counter");
  }

  @Test
  void forksBranchesAndCallsAreTimed() throws IOException {
    String id = server.fork();
    server.post("/v1/sandboxes/%s/exec".formatted(id), "{\"args\":[\"true\"]}");
    server.post("/v1/sandboxes/%s/eval".formatted(id), "{\"code\":\"1\"}");
    server.post("/v1/sandboxes/%s/eval".formatted(id), "{\"code\":\"boom-TIMEOUT\"}");
    server.post("/v1/sandboxes/%s/branch".formatted(id), "{}");
    server.post("/v1/sandboxes/%s/fork".formatted(id), "{\"n\":2,\"tag\":\"other\"}");
    MetricSamples metrics = scrape();
    assertThat(metrics.value("forkd_fork_seconds_count")).isEqualTo(3);
    // The fake's forks take 12.5 ms each.
    assertThat(metrics.value("forkd_fork_seconds_bucket{le=\"0.01\"}")).isZero();
    assertThat(metrics.value("forkd_fork_seconds_bucket{le=\"0.025\"}")).isEqualTo(3);
    assertThat(metrics.value("forkd_fork_seconds_sum")).isCloseTo(0.0375, within(1e-9));
    assertThat(metrics.value("forkd_branch_pause_seconds_count")).isEqualTo(2);
    assertThat(metrics.value("forkd_exec_seconds_count")).isEqualTo(1);
    assertThat(metrics.value("forkd_eval_seconds_count")).isEqualTo(2);
    assertThat(metrics.value("forkd_sandboxes_active")).isEqualTo(3);
  }

  @Test
  void requestsAreCountedByRouteAndNotByWhatStrangersMakeUp() throws IOException {
    MetricSamples metrics;
    // One connection, on which a request is counted before the next one is read.
    try (Wire wire = server.tcp()) {
      ask(wire, "GET", "/v1/snapshots");
      ask(wire, "GET", "/v1/snapshots");
      ask(wire, "GET", "/v1/sandboxes/sb-00000000-0001");
      ask(wire, "GET", "/v1/made/up/1");
      ask(wire, "GET", "/v1/made/up/2");
      ask(wire, "BREW", "/v1/snapshots");
      metrics = MetricSamples.parse(ask(wire, "GET", "/metrics").text());
    }
    assertThat(requests(metrics, "GET", "/v1/snapshots", 200)).isEqualTo(2);
    assertThat(requests(metrics, "GET", "/v1/sandboxes/{id}", 404)).isEqualTo(1);
    assertThat(requests(metrics, "GET", "none", 404)).isEqualTo(2);
    assertThat(requests(metrics, "other", "none", 405)).isEqualTo(1);
    assertThat(metrics.value("forkd_http_request_seconds_count{route=\"/v1/snapshots\"}"))
        .isEqualTo(2);
  }

  private static Answer ask(Wire wire, String method, String path) throws IOException {
    wire.request(method, path, "");
    return wire.answer();
  }

  private static double requests(MetricSamples metrics, String method, String route, int status) {
    return metrics.value(
        "forkd_http_requests_total{method=\"%s\",route=\"%s\",status=\"%d\"}"
            .formatted(method, route, status));
  }

  @Test
  void endsAreCountedByReason() throws IOException {
    end("killed");
    end("killed");
    end("out_of_memory");
    server.forkd.events.tell("sandbox.created", "sb-1", Optional.empty(), Map.of("reason", "x"));
    MetricSamples metrics = scrape();
    assertThat(metrics.value("forkd_sandbox_ends_total{reason=\"killed\"}")).isEqualTo(2);
    assertThat(metrics.value("forkd_sandbox_ends_total{reason=\"out_of_memory\"}")).isEqualTo(1);
    assertThat(metrics.has("forkd_sandbox_ends_total{reason=\"x\"}")).isFalse();
  }

  private void end(String reason) {
    server.forkd.events.tell("sandbox.ended", "sb-1", Optional.empty(), Map.of("reason", reason));
  }

  @Test
  void budgetsHaveABoundWhenTheyHaveOne() throws IOException {
    MetricSamples metrics = scrape();
    assertThat(metrics.value("forkd_budget_used{budget=\"sandboxes\"}")).isEqualTo(3);
    assertThat(metrics.value("forkd_budget_most{budget=\"sandboxes\"}")).isEqualTo(10);
    assertThat(metrics.value("forkd_budget_used{budget=\"disk_mib\"}")).isEqualTo(7);
    assertThat(metrics.has("forkd_budget_most{budget=\"disk_mib\"}")).isFalse();
  }

  @Test
  void labelsAreEscaped() {
    MetricText text = new MetricText();
    text.family("x", "gauge", "X.").sample("x", List.of("a", "b"), List.of("q\"\\\n", "é"), 1.5);
    assertThat(text.toString())
        .isEqualTo("# HELP x X.\n# TYPE x gauge\nx{a=\"q\\\"\\\\\\n\",b=\"é\"} 1.5\n");
    assertThat(MetricSamples.parse(text.toString()).value("x{a=\"q\\\"\\\\\\n\",b=\"é\"}"))
        .isEqualTo(1.5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x 1\n",
        "# HELP x X.\n# TYPE x gauge\nx{a=b} 1\n",
        "# HELP x X.\n# TYPE x gauge\nx 1\nx 1\n",
        "# HELP x X.\n# TYPE x counter\nx 1\n",
        "# HELP x X.\n# TYPE x gauge\ny 1\n",
        "# HELP x X.\n# TYPE x gauge\nx 1",
        """
        # HELP x X.
        # TYPE x histogram
        x_bucket{le="1"} 2
        x_bucket{le="+Inf"} 1
        x_sum 1
        x_count 1
        """
      })
  void theReaderOfTheseTestsRefusesBadText(String text) {
    assertThatThrownBy(() -> MetricSamples.parse(text)).isInstanceOf(AssertionError.class);
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class SystemApiTest {
  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/healthz", "/healthz/", "/healthz?x=1"})
  void saysThatItIsWell(String path) throws IOException {
    Answer answer = server.get(path);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"ok\":true}");
    assertThat(answer.header("content-type")).isEqualTo("application/json");
  }

  @Test
  void doesNotSayWhatItIsBuiltWith() throws IOException {
    assertThat(server.get("/healthz").headers()).doesNotContainKeys("server", "x-powered-by");
  }

  @Test
  void saysWhichVersionItIs() throws IOException {
    JsonNode json = server.get("/version").json();
    assertThat(json.path("version").asString()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(json.path("api").asString()).isEqualTo("v1");
    assertThat(json.size()).isEqualTo(2);
  }

  @Test
  void exposesItsGauges() throws IOException {
    server.fork();
    server.forkd.setPool(Tag.of("base"), 7);
    Answer answer = server.get("/metrics");
    assertThat(answer.header("content-type")).startsWith("text/plain; version=0.0.4");
    assertThat(answer.text())
        .contains(
            "# TYPE forkd_snapshots_total gauge\nforkd_snapshots_total 1\n",
            "\nforkd_sandboxes_active 1\n",
            "\nforkd_branches_in_flight 0\n",
            "\nforkd_branch_concurrency_cap 4\n",
            "\nforkd_pool_warm{tag=\"base\"} 7\n",
            "\nforkd_pool_ready{tag=\"base\"} 0\n",
            "\nforkd_pool_filling{tag=\"base\"} 7\n")
        .containsPattern("forkd_build_info\\{version=\"[^\"]+\"} 1\n");
  }

  @Test
  void tellsItsStatus() throws IOException {
    server.fork();
    JsonNode json = server.get("/v1/status").json();
    assertThat(json.path("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
    assertThat(json.path("uptime_secs").isNumber()).isTrue();
    assertThat(json.path("data").asString()).isEqualTo(server.data.toString());
    assertThat(json.path("run").asString()).isEqualTo(server.folder.toString());
    assertThat(json.path("vmm").asString()).isEqualTo(server.forkd.vmm());
    assertThat(json.path("counts"))
        .isEqualTo(Answer.parse("{\"snapshots\":1,\"sandboxes\":1,\"pools\":0}"));
    assertThat(json.path("branching"))
        .isEqualTo(
            Answer.parse(
                """
                {"best":"live","way":"userfaultfd","reason":"a fake can do anything","in_flight":0,"cap":4}\
                """));
  }

  @Test
  void stopsWhenAskedOverTheUnixSocketOnly() throws Exception {
    Answer refused = server.post("/v1/shutdown", "");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.error()).contains("Unix socket only");
    assertThat(server.stopAsked.getCount()).isEqualTo(1);
    try (Wire wire = server.unix()) {
      wire.request("POST", "/v1/shutdown", "");
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(202);
      assertThat(answer.text()).isEqualTo("{\"stopping\":true}");
    }
    assertThat(server.stopAsked.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theSocketIsForItsOwnerOnlyAndGoesWithTheServer() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.socket)))
        .isEqualTo("rw-------");
    try (Wire wire = server.unix()) {
      wire.request("GET", "/healthz", "");
      assertThat(wire.answer().status()).isEqualTo(200);
    }
    try (var files = Files.list(server.folder)) {
      assertThat(files).containsExactly(server.socket);
    }
    server.stop();
    assertThat(server.folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/v1",
        "/v1/",
        "/v2/snapshots",
        "/v1/snapshots/",
        "/v1/snapshots/base/",
        "/v1/snapshots/base/info/",
        "/v1/snapshots/base/more",
        "/v1/sandboxes//ping",
        "/v1/sandboxes/x/y/z",
        "//healthz",
        "/HEALTHZ",
        "/version/",
        "/metrics/x"
      })
  void knowsNoOtherRoutes(String path) throws IOException {
    Answer answer = server.get(path);
    assertThat(answer.status()).isIn(404, 400, 405);
    assertThat(answer.error()).isNotBlank();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST|/healthz|GET, HEAD",
        "DELETE|/version|GET, HEAD",
        "PUT|/metrics|GET, HEAD",
        "GET|/v1/shutdown|POST",
        "DELETE|/v1/snapshots|GET, HEAD, POST",
        "PATCH|/v1/snapshots|GET, HEAD, POST",
        "GET|/v1/snapshots/base|DELETE",
        "POST|/v1/snapshots/base/info|GET, HEAD",
        "PUT|/v1/sandboxes|GET, HEAD, POST",
        "POST|/v1/sandboxes/sb-00000000-0001|DELETE, GET, HEAD, PATCH",
        "GET|/v1/sandboxes/sb-00000000-0001/ping|POST",
        "GET|/v1/sandboxes/sb-00000000-0001/exec|POST",
        "DELETE|/v1/sandboxes/sb-00000000-0001/eval|POST",
        "GET|/v1/sandboxes/sb-00000000-0001/branch|POST",
        "DELETE|/v1/sandboxes/sb-00000000-0001/fork|POST",
        "PUT|/v1/sandboxes/sb-00000000-0001/rollback|POST",
        "GET|/v1/snapshots/base/compact|POST",
        "GET|/v1/gc|POST",
        "GET|/v1/diff|POST",
        "POST|/v1/pools|GET, HEAD",
        "GET|/v1/pools/base|PUT",
        "OPTIONS|/v1/pools|GET, HEAD",
        "BREW|/v1/pools|GET, HEAD"
      })
  void refusesOtherMethodsAndSaysWhichItTakes(String method, String path, String allow)
      throws IOException {
    Answer answer = server.call(method, path, "");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("allow")).isEqualTo(allow);
    assertThat(answer.error()).contains(path, method, allow);
  }

  @Test
  void answersHeadLikeGetWithoutTheBody() throws IOException {
    Answer answer = server.call("HEAD", "/healthz", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-length")).isEqualTo("11");
  }
}

package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.FakeDaemon;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class QuickstartCommandTest {
  private static final String RIGHT = "{\"result\":\"[0.0, 0.0, 0.0, 0.0, 0.0]\",\"exit_code\":0}";

  @Test
  void aQuickstartMakesTheSnapshotForksAsksAndEndsTheChildren() throws IOException {
    try (TestContext test = new TestContext();
        FakeDaemon daemon = daemon(test, "[]", RIGHT)) {
      assertThat(quickstart(test, "-n", "2", "--json")).isEqualTo(0);

      JsonObject report = Json.parseObject(test.out());
      assertThat(report.flag("ok")).isTrue();
      assertThat(report.number("right_answers")).isEqualTo(2);
      assertThat(asked(daemon, "POST", "/v1/snapshots")).isEqualTo(1);
      assertThat(asked(daemon, "DELETE", "/v1/sandboxes/")).isEqualTo(2);
    }
  }

  @Test
  void aSecondRunFindsTheSnapshotAndMakesNone() throws IOException {
    try (TestContext test = new TestContext();
        FakeDaemon daemon = daemon(test, "[{\"tag\":\"python-numpy\",\"bootable\":true}]", RIGHT)) {
      assertThat(quickstart(test, "-n", "2")).isEqualTo(0);

      assertThat(asked(daemon, "POST", "/v1/snapshots")).isZero();
      assertThat(test.out()).contains("2 of 2 children answered", "Left behind:", "median");
    }
  }

  @Test
  void aChildThatAnswersWrongFailsTheRunAndIsNamed() throws IOException {
    try (TestContext test = new TestContext();
        FakeDaemon daemon =
            daemon(
                test,
                "[{\"tag\":\"python-numpy\",\"bootable\":true}]",
                "{\"error\":\"NameError: numpy\",\"exit_code\":1}")) {
      assertThat(quickstart(test, "-n", "2")).isEqualTo(1);

      assertThat(test.err()).contains("sb-0123456789-0001 answered NameError: numpy");
      assertThat(asked(daemon, "DELETE", "/v1/sandboxes/")).isEqualTo(2);
    }
  }

  private static int quickstart(TestContext test, String... options) {
    String[] args = new String[options.length + 1];
    args[0] = "quickstart";
    System.arraycopy(options, 0, args, 1, options.length);
    return Cli.run(test.with(Map.of("FORKD_URL", "unix://" + test.socket())), args);
  }

  private static long asked(FakeDaemon daemon, String method, String path) {
    return daemon.requests().stream()
        .filter(request -> request.method().equals(method) && request.path().startsWith(path))
        .count();
  }

  private static FakeDaemon daemon(TestContext test, String snapshots, String answer)
      throws IOException {
    List<String> children =
        List.of(
            "{\"id\":\"sb-0123456789-0000\",\"pid\":1,\"phases_ms\":{\"total\":4}}",
            "{\"id\":\"sb-0123456789-0001\",\"pid\":1,\"phases_ms\":{\"total\":6}}");
    return FakeDaemon.startOn(
        test.socket(),
        (request, out) -> {
          String reply =
              switch (request.method() + " " + request.path()) {
                case "GET /v1/snapshots" -> FakeDaemon.reply(200, "", snapshots);
                case "POST /v1/snapshots" ->
                    FakeDaemon.linesHead()
                        + FakeDaemon.chunk("{\"step\":\"boot\",\"detail\":\"Booting\"}\n")
                        + FakeDaemon.chunk("{\"snapshot\":{\"tag\":\"python-numpy\"}}\n")
                        + "0\r\n\r\n";
                case "POST /v1/sandboxes" ->
                    FakeDaemon.reply(201, "", "[" + String.join(",", children) + "]");
                default ->
                    request.path().endsWith("/eval")
                        ? FakeDaemon.reply(200, "", answer)
                        : FakeDaemon.reply(204, "", "");
              };
          out.write(reply.getBytes(UTF_8));
          return true;
        });
  }
}

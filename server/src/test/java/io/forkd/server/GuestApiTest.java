package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What a sandbox's guest is asked to do. */
@Timeout(60)
class GuestApiTest {
  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void pingsASandbox() throws IOException {
    Answer answer = server.post("/v1/sandboxes/" + server.fork() + "/ping", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo("{\"pong\":true,\"pid\":1,\"guest_uptime_secs\":7.25,\"round_trip_ms\":1.5}");
  }

  @Test
  void runsAProgram() throws IOException {
    Answer answer =
        server.post("/v1/sandboxes/" + server.fork() + "/exec", "{\"args\":[\"echo\",\"ü\",\"\"]}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            "{\"stdout\":\"echo ü"
                + " \",\"stderr\":\"\",\"exit_code\":3,\"truncated\":true,\"timed_out\":false}");
    assertThat(server.forkd.guest.timeouts).containsExactly(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|args is missing: expected an array of strings.",
        "{\"args\":null}|args is missing",
        "{\"args\":\"ls\"}|args has the wrong type: expected an array of strings, found a string.",
        "{\"args\":{\"0\":\"ls\"}}|found an object",
        "{\"args\":[]}|args is empty",
        "{\"args\":[\"ls\",1]}|args[1] has the wrong type: expected a string, found an integer.",
        "{\"args\":[null]}|args[0] has the wrong type: expected a string, found null.",
        "{\"args\":[[\"ls\"]]}|args[0] has the wrong type",
        "{\"args\":[\"a\\u0000b\"]}|args[0] contains a NUL",
        "{\"args\":[\"ls\"],\"timeout_secs\":0}|timeout_secs is 0: use 1 to 3600.",
        "{\"args\":[\"ls\"],\"timeout_secs\":0.5}|timeout_secs is 0.5",
        "{\"args\":[\"ls\"],\"timeout_secs\":3600.5}|timeout_secs is 3600.5",
        "{\"args\":[\"ls\"],\"timeout_secs\":-1e300}|timeout_secs is -1.0E300",
        "{\"args\":[\"ls\"],\"timeout_secs\":\"30\"}|timeout_secs has the wrong type: expected a"
            + " number of seconds, found a string",
        "{\"args\":[\"ls\"],\"timeout_secs\":true}|found a boolean",
        "[\"ls\"]|The body is an array"
      })
  void refusesBadExecs(String body, String reason) throws IOException {
    Answer answer = server.post("/v1/sandboxes/" + server.fork() + "/exec", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.guest.timeouts).isEmpty();
  }

  @Test
  void evaluatesAnExpression() throws IOException {
    Answer answer =
        server.post(
            "/v1/sandboxes/" + server.fork() + "/eval",
            "{\"code\":\"π \\\"q\\\"\",\"timeout_secs\":2.5}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            "{\"result\":\"π"
                + " \\\"q\\\"\",\"error\":null,\"exit_code\":0,\"stdout\":\"\",\"stderr\":\"\"}");
    assertThat(server.forkd.guest.timeouts).containsExactly(Duration.ofMillis(2500));
  }

  @Test
  void anExceptionFillsErrorAndTraceback() throws IOException {
    Answer answer = server.post("/v1/sandboxes/" + server.fork() + "/eval", "{\"code\":\"raise\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            """
            {"result":null,"error":"ZeroDivisionError: division by zero","exit_code":1,\
            "stdout":"before\\n","stderr":"","traceback":"Traceback …"}\
            """);
  }

  @Test
  void anEvalSaysHowLongTheAgentTook() throws IOException {
    Answer answer = server.post("/v1/sandboxes/" + server.fork() + "/eval", "{\"code\":\"1\"}");
    assertThat(answer.headers().get("server-timing")).matches("agent;dur=[0-9]+\\.[0-9]{3}");
  }

  @Test
  void aStatementHasNoResult() throws IOException {
    JsonNode json =
        server.post("/v1/sandboxes/" + server.fork() + "/eval", "{\"code\":\"x = 1\"}").json();
    assertThat(json.path("result").isNull()).isTrue();
    assertThat(json.path("error").isNull()).isTrue();
  }

  @Test
  void survivesHalfASurrogatePairFromTheGuest() throws IOException {
    Answer answer =
        server.post("/v1/sandboxes/" + server.fork() + "/eval", "{\"code\":\"a\\ud800b\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().path("result").asString()).isEqualTo("a\uFFFDb");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|400|code is missing: expected a string.",
        "{\"code\":1}|400|code has the wrong type: expected a string, found an integer.",
        "{\"code\":[\"1\"]}|400|found an array",
        "{\"code\":\"1\",\"timeout_secs\":7200}|400|timeout_secs is 7200: use 1 to 3600.",
        "{\"code\":\"1\",\"timeout_secs\":[]}|400|timeout_secs has the wrong type",
        "{\"code\":\"boom-TIMEOUT\"}|504|as told: TIMEOUT",
        "{\"code\":\"boom-GUEST_FAILED\"}|502|as told: GUEST_FAILED",
        "{\"code\":\"boom-FULL\"}|503|as told: FULL",
        "{\"code\":\"boom-defect\"}|500|reference r-"
      })
  void refusesOrFailsEvals(String body, int status, String reason) throws IOException {
    Answer answer = server.post("/v1/sandboxes/" + server.fork() + "/eval", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.error()).contains(reason);
  }
}

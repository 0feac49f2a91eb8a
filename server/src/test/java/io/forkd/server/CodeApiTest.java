package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Code in contexts of a real agent's guest, which has the Python of this host. */
@Timeout(60)
class CodeApiTest {
  private final TestServer server = TestServer.open();
  private String id;
  private String sandbox;

  @BeforeEach
  void fork() throws IOException {
    id = server.fork();
    sandbox = "/v1/sandboxes/" + id;
  }

  @AfterEach
  void stop() throws IOException {
    server.forkd.guests.close();
    server.close();
  }

  private Lines open(String body) throws IOException {
    return Lines.of(server, "POST", sandbox + "/execute", body.replace('\'', '"'));
  }

  private List<JsonNode> execute(String body) throws IOException {
    try (Lines lines = open(body)) {
      return lines.rest();
    }
  }

  private static String main(List<JsonNode> lines) {
    return lines.stream()
        .filter(line -> Lines.type(line).equals("result") && line.path("main").asBoolean())
        .map(line -> line.path("formats").path("text").asString())
        .findFirst()
        .orElse("");
  }

  @Test
  void codeTellsWhatItDoesAndLeavesItsState() throws IOException {
    List<JsonNode> first =
        execute("{'code':'import sys\\nx = 41\\nprint(1); print(2, file=sys.stderr)\\nx'}");
    assertThat(Lines.type(first.getFirst())).isEqualTo("begin");
    assertThat(Lines.text(first, "stdout")).isEqualTo("1\n");
    assertThat(Lines.text(first, "stderr")).isEqualTo("2\n");
    assertThat(main(first)).isEqualTo("41");
    assertThat(first.getLast()).isEqualTo(Answer.parse("{\"type\":\"end\"}"));
    assertThat(main(execute("{'code':'x + 1'}"))).isEqualTo("42");
    assertThat(main(execute("{'code':'x + 2','language':'python'}"))).isEqualTo("43");
  }

  @Test
  void aFailureHasItsTraceback() throws IOException {
    List<JsonNode> lines = execute("{'code':'1/0'}");
    JsonNode failure =
        lines.stream().filter(line -> Lines.type(line).equals("failure")).findFirst().orElseThrow();
    assertThat(failure.path("name").asString()).isEqualTo("ZeroDivisionError");
    assertThat(failure.path("value").asString()).contains("zero");
    assertThat(failure.path("traceback").asString()).contains("ZeroDivisionError");
    assertThat(Lines.type(lines.getLast())).isEqualTo("end");
  }

  @Test
  void outputComesWhileTheCodeRuns() throws IOException {
    try (Lines lines = open("{'code':'import time\\nprint(1, flush=True)\\ntime.sleep(1000)'}")) {
      lines.until("stdout");
      assertThat(server.post(sandbox + "/contexts/python/interrupt", "").status()).isEqualTo(204);
      assertThat(lines.until("failure").path("name").asString()).isEqualTo("KeyboardInterrupt");
      lines.until("end");
    }
  }

  @Test
  void itsTimeMayBeUpAndItsStateStays() throws IOException {
    execute("{'code':'x = 7'}");
    List<JsonNode> lines = execute("{'code':'import time\\ntime.sleep(1000)','timeout_secs':1}");
    assertThat(lines).anyMatch(line -> line.path("name").asString().equals("KeyboardInterrupt"));
    assertThat(lines.getLast().path("timed_out").asBoolean()).isTrue();
    assertThat(main(execute("{'code':'x'}"))).isEqualTo("7");
  }

  @Test
  void codeWhoseClientIsGoneIsInterrupted() throws IOException {
    try (Lines lines = open("{'code':'import time\\nprint(1, flush=True)\\ntime.sleep(1000)'}")) {
      lines.until("stdout");
    }
    assertThat(main(execute("{'code':'6 * 7'}"))).isEqualTo("42");
  }

  @Test
  void itsEnvironmentLastsAsLongAsItRuns() throws IOException {
    assertThat(
            main(
                execute(
                    "{'code':'import os; os.environ.get(\\'A\\')','env':{'A':'b'}}"
                        .replace("\\'", "\\u0027"))))
        .contains("b");
    assertThat(main(execute("{'code':'str(os.environ.get(\\u0027A\\u0027))'}"))).contains("None");
  }

  @Test
  void contextsComeRestartAndGo() throws IOException {
    Answer made = server.post(sandbox + "/contexts", "{\"language\":\"python\",\"cwd\":\"/usr\"}");
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    assertThat(made.json().path("cwd").asString()).isEqualTo("/usr");
    String context = made.json().path("id").asString();
    assertThat(server.get(sandbox + "/contexts").json().values())
        .extracting(each -> each.path("id").asString())
        .contains("python", context);
    String inIt = "'context':'%s'".formatted(context);
    execute("{'code':'import os; y = os.getcwd()',%s}".formatted(inIt));
    assertThat(main(execute("{'code':'y',%s}".formatted(inIt)))).contains("/usr");
    assertThat(execute("{'code':'y'}")).anyMatch(line -> Lines.type(line).equals("failure"));
    assertThat(server.post(sandbox + "/contexts/" + context + "/restart", "").status())
        .isEqualTo(204);
    assertThat(execute("{'code':'y',%s}".formatted(inIt)))
        .anyMatch(line -> Lines.type(line).equals("failure"));
    assertThat(server.call("DELETE", sandbox + "/contexts/" + context, "").status()).isEqualTo(204);
    Answer gone =
        server.post(sandbox + "/execute", "{\"code\":\"1\",\"context\":\"%s\"}".formatted(context));
    assertThat(gone.status()).as(gone.toString()).isEqualTo(404);
  }

  @Test
  void aGuestThatDiesIsTold() throws IOException {
    try (Lines lines = open("{'code':'import time\\nprint(1, flush=True)\\ntime.sleep(1000)'}")) {
      lines.until("stdout");
      server.forkd.guests.end(SandboxId.of(id));
      assertThat(lines.until("error").path("error").asString()).isNotBlank();
      assertThat(lines.rest()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'code':7}",
        "{'code':'1','language':'cobol'}",
        "{'code':'1','context':'a/b'}",
        "{'code':'1','context':'python','language':'python'}",
        "{'code':'1','timeout_secs':0}",
        "{'code':'1','env':{'A=':'x'}}"
      })
  void whatCannotBeRunIsTheCallersFault(String body) throws IOException {
    Answer answer = server.post(sandbox + "/execute", body.replace('\'', '"'));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({"POST, /restart", "POST, /interrupt", "DELETE, ''"})
  void aContextThatIsNotThereIsNotFound(String method, String rest) throws IOException {
    Answer answer = server.call(method, sandbox + "/contexts/none" + rest, "");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(404);
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Processes of a real agent's guest, which is this host. */
@Timeout(60)
class ProcessApiTest {
  private final TestServer server = TestServer.open();
  private String processes;

  @BeforeEach
  void fork() throws IOException {
    processes = "/v1/sandboxes/" + server.fork() + "/processes";
  }

  @AfterEach
  void stop() throws IOException {
    server.forkd.guests.close();
    server.close();
  }

  private Lines stream(String body) throws IOException {
    return Lines.of(server, "POST", processes + "?stream=true", body.replace('\'', '"'));
  }

  private Answer start(String body) throws IOException {
    return server.post(processes, body.replace('\'', '"'));
  }

  private long startOne(String body) throws IOException {
    Answer answer = start(body);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
    return answer.json().path("pid").asLong();
  }

  private String of(long pid, String rest) {
    return processes + "/" + pid + rest;
  }

  @Test
  void whatAProgramWritesComesAsItIsWritten() throws IOException {
    try (Lines lines = stream("{'args':['sh','-c','echo out; echo err >&2; exit 3']}")) {
      long pid = lines.next("start").path("pid").asLong();
      assertThat(pid).isPositive();
      List<JsonNode> rest = lines.rest();
      assertThat(Lines.text(rest, "stdout")).isEqualTo("out\n");
      assertThat(Lines.text(rest, "stderr")).isEqualTo("err\n");
      assertThat(rest.getLast()).isEqualTo(Answer.parse("{\"type\":\"exit\",\"code\":3}"));
      JsonNode info = server.get(of(pid, "")).json();
      assertThat(info.path("state").asString()).isEqualTo("exited");
      assertThat(info.path("code").asInt()).isEqualTo(3);
    }
  }

  @Test
  void aLineForTheShellHasItsFolderEnvironmentAndUser() throws IOException {
    try (Lines lines =
        stream("{'cmd':'echo $(pwd) $GREETING $(id -un)','cwd':'/usr','env':{'GREETING':'hi'}}")) {
      assertThat(Lines.text(lines.rest(), "stdout")).isEqualTo("/usr hi root\n");
    }
    try (Lines lines = stream("{'cmd':'id -un','user':'daemon','cwd':'/'}")) {
      assertThat(Lines.text(lines.rest(), "stdout")).isEqualTo("daemon\n");
    }
  }

  @Test
  void aSignalIsNoExitCode() throws IOException {
    try (Lines lines = stream("{'args':['sleep','1000']}")) {
      long pid = lines.next("start").path("pid").asLong();
      assertThat(server.post(of(pid, "/signal"), "{\"signal\":\"SIGTERM\"}").status())
          .isEqualTo(204);
      assertThat(lines.next())
          .isEqualTo(
              Answer.parse(
                  "{\"type\":\"signal\",\"signal\":15,\"name\":\"SIGTERM\",\"timed_out\":false}"));
    }
    try (Lines lines = stream("{'args':['sleep','1000']}")) {
      long pid = lines.next("start").path("pid").asLong();
      assertThat(server.post(of(pid, "/signal"), "{\"signal\":10}").status()).isEqualTo(204);
      assertThat(lines.next("signal").path("name").asString()).isEqualTo("SIGUSR1");
    }
    try (Lines lines = stream("{'cmd':'sleep 1000 & wait'}")) {
      long pid = lines.next("start").path("pid").asLong();
      assertThat(server.call("DELETE", of(pid, ""), "").status()).isEqualTo(204);
      assertThat(lines.next("signal").path("signal").asInt()).isEqualTo(9);
    }
  }

  @Test
  void itsTimeMayBeUp() throws IOException {
    try (Lines lines = stream("{'args':['sleep','1000'],'timeout_secs':0.2}")) {
      lines.next("start");
      JsonNode end = lines.next("signal");
      assertThat(end.path("timed_out").asBoolean()).isTrue();
      assertThat(lines.rest()).isEmpty();
    }
  }

  @Test
  void inputIsWrittenAndEnded() throws IOException {
    try (Lines lines = stream("{'args':['cat'],'stdin':true}")) {
      long pid = lines.next("start").path("pid").asLong();
      assertThat(server.post(of(pid, "/stdin"), "grüße\n").status()).isEqualTo(204);
      assertThat(lines.next("stdout").path("text").asString()).isEqualTo("grüße\n");
      assertThat(server.post(of(pid, "/stdin"), "").status()).isEqualTo(204);
      assertThat(server.post(of(pid, "/stdin"), "more").status()).isEqualTo(204);
      assertThat(lines.next("stdout").path("text").asString()).isEqualTo("more");
      assertThat(server.call("DELETE", of(pid, "/stdin"), "").status()).isEqualTo(204);
      assertThat(lines.next("exit").path("code").asInt()).isZero();
      assertThat(server.post(of(pid, "/stdin"), "late").status()).isIn(404, 409);
    }
  }

  @Test
  void withoutInputItReadsAnEnd() throws IOException {
    try (Lines lines = stream("{'args':['cat']}")) {
      lines.next("start");
      assertThat(lines.next("exit").path("code").asInt()).isZero();
    }
  }

  @Test
  void whatIsNotUtf8ComesInBase64AndCharactersComeWhole() throws IOException {
    try (Lines lines =
        stream(
            "{'cmd':'printf \\\\\\\\303; sleep 0.2; printf \\\\\\\\274; printf \\\\\\\\377"
                + " >&2'}")) {
      List<JsonNode> rest = lines.rest();
      assertThat(Lines.text(rest, "stdout")).isEqualTo("ü");
      JsonNode error =
          rest.stream().filter(line -> Lines.type(line).equals("stderr")).findFirst().orElseThrow();
      assertThat(error.path("base64").asString()).isEqualTo("/w==");
    }
  }

  @Test
  void startedAloneItIsDescribedAndFound() throws IOException {
    Answer answer =
        start("{'args':['sleep','1000'],'tag':'nap','env':{'SECRET':'s3'},'cwd':'/tmp'}");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
    JsonNode info = answer.json();
    assertThat(info.path("args")).isEqualTo(Answer.parse("[\"sleep\",\"1000\"]"));
    assertThat(info.path("cwd").asString()).isEqualTo("/tmp");
    assertThat(info.path("tag").asString()).isEqualTo("nap");
    assertThat(info.path("pty").asBoolean()).isFalse();
    assertThat(info.path("state").asString()).isEqualTo("running");
    assertThat(Instant.parse(info.path("started_at").asString()))
        .isBetween(Instant.now().minusSeconds(120), Instant.now().plusSeconds(120));
    long pid = info.path("pid").asLong();
    assertThat(server.get(of(pid, "")).json()).isEqualTo(info);
    assertThat(server.get(processes).json().values()).contains(info);
    assertThat(server.get(processes).text()).doesNotContain("s3");
  }

  @Test
  void itGoesOnWhenItsListenerIsGoneAndIsHeardAgain() throws IOException {
    long pid;
    try (Lines lines = stream("{'cmd':'echo one; read x; echo two $x','stdin':true}")) {
      pid = lines.next("start").path("pid").asLong();
      lines.next("stdout");
    }
    assertThat(server.get(of(pid, "")).json().path("state").asString()).isEqualTo("running");
    try (Lines lines = Lines.of(server, "GET", of(pid, "/output?replay=true"), "")) {
      assertThat(lines.next("start").path("pid").asLong()).isEqualTo(pid);
      assertThat(lines.next("stdout").path("text").asString()).isEqualTo("one\n");
      server.post(of(pid, "/stdin"), "again\n");
      List<JsonNode> rest = lines.rest();
      assertThat(Lines.text(rest, "stdout")).isEqualTo("two again\n");
      assertThat(Lines.type(rest.getLast())).isEqualTo("exit");
    }
    try (Lines late = Lines.of(server, "GET", of(pid, "/output?replay=true"), "")) {
      List<JsonNode> rest = late.rest();
      assertThat(Lines.text(rest, "stdout")).isEqualTo("one\ntwo again\n");
      assertThat(Lines.type(rest.getLast())).isEqualTo("exit");
    }
  }

  @Test
  void aTerminalIsOneAndCanBeResized() throws IOException {
    try (Lines lines =
        stream(
            "{'cmd':'trap \\'stty size; exit\\' WINCH; stty size; while :; do sleep 0.05; done',"
                + "'pty':{'cols':91,'rows':17}}")) {
      long pid = lines.next("start").path("pid").asLong();
      assertThat(lines.next("pty").path("text").asString()).contains("17 91");
      assertThat(server.get(of(pid, "")).json().path("pty").asBoolean()).isTrue();
      assertThat(server.post(of(pid, "/resize"), "{\"cols\":33,\"rows\":7}").status())
          .isEqualTo(204);
      assertThat(Lines.text(lines.rest(), "pty")).contains("7 33");
    }
  }

  @Test
  void silenceIsTold() throws IOException {
    try (Lines lines = stream("{'args':['sleep','1000']}")) {
      lines.next("start");
      assertThat(Lines.type(lines.nextOfAny().orElseThrow())).isEqualTo("keepalive");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'args':[]}",
        "{'args':['true'],'cmd':'true'}",
        "{'args':['a\\u0000b']}",
        "{'cmd':'a\\u0000b'}",
        "{'cmd':'true','env':{'A=B':'c'}}",
        "{'cmd':'true','env':{'':'c'}}",
        "{'cmd':'true','env':{'A':'\\u0000'}}",
        "{'cmd':'true','timeout_secs':-1}",
        "{'cmd':'true','pty':{'cols':0,'rows':1}}",
        "{'cmd':'true','pty':{'cols':1}}",
        "{'cmd':'true','pty':true}",
        "{'cmd':'true','user':'nobody-at-all'}",
        "{'args':['/none/at/all']}",
        "{'args':['/etc/hostname']}"
      })
  void whatCannotBeStartedIsTheCallersFault(String body) throws IOException {
    Answer answer = start(body);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    assertThat(answer.error()).isNotBlank();
    Answer streamed = server.post(processes + "?stream=true", body.replace('\'', '"'));
    assertThat(streamed.status()).as(answer.toString()).isEqualTo(400);
  }

  @Test
  void aFolderThatIsNotThereIsSaid() throws IOException {
    Answer answer = start("{'cmd':'true','cwd':'/none/at/all'}");
    assertThat(answer.status()).as(answer.toString()).isIn(400, 404);
    assertThat(answer.error()).contains("/none/at/all");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, , ",
    "GET, /output, ",
    "POST, /stdin, x",
    "DELETE, /stdin, ",
    "POST, /signal, {\"signal\":15}",
    "POST, /resize, '{\"cols\":1,\"rows\":1}'",
    "DELETE, , "
  })
  void aProcessThatIsNotThereIsNotFound(String method, String rest, String body)
      throws IOException {
    Answer answer =
        server.call(method, of(4194303, rest == null ? "" : rest), body == null ? "" : body);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"SIGNOTHING\"", "0", "65", "\"\"", "1.5", "null"})
  void aSignalThatIsNoneIsRefused(String signal) throws IOException {
    long pid = startOne("{'args':['sleep','1000']}");
    Answer answer = server.post(of(pid, "/signal"), "{\"signal\":%s}".formatted(signal));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    assertThat(server.get(of(pid, "")).json().path("state").asString()).isEqualTo("running");
  }

  @Test
  void aPipeHasNoSize() throws IOException {
    long pid = startOne("{'args':['sleep','1000']}");
    assertThat(server.post(of(pid, "/resize"), "{\"cols\":1,\"rows\":1}").status()).isEqualTo(400);
  }
}

package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.FakeDaemon;
import io.forkd.client.FakeSocket;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProcessCommandsTest {
  private static final String ID = "sb-0123456789-0000";
  private static final String PROCESSES = "/v1/sandboxes/" + ID + "/processes";
  private static final String STREAM = "POST " + PROCESSES + "?stream=true";

  private FakeRoutes routes;

  @BeforeEach
  void start() throws IOException {
    routes = new FakeRoutes();
  }

  @AfterEach
  void stop() {
    routes.close();
  }

  private int runWith(InputStream in, String... args) {
    Context plain = routes.test.with(Map.of("TERM", "vt100"));
    Terminal terminal =
        new Terminal(
            new PrintStream(routes.test.out, true, UTF_8),
            new PrintStream(routes.test.err, true, UTF_8),
            in,
            false,
            false,
            false,
            false);
    return Cli.run(new Context(plain.env(), plain.locations(), plain.home(), terminal), args);
  }

  private static InputStream input(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  @Test
  void execAsksForAllThatWasSaid() {
    routes.on(STREAM, 200, "{\"type\":\"start\",\"pid\":4}\n{\"type\":\"exit\",\"code\":0}\n");
    assertThat(
            routes.run(
                "exec",
                "--user",
                "user",
                "--cwd",
                "/tmp",
                "-e",
                "A=b=c",
                "--timeout",
                "5",
                "--tag",
                "job",
                ID,
                "--",
                "ls",
                "-l"))
        .isZero();
    assertThat(routes.body(STREAM))
        .isEqualTo(
            "{\"args\":[\"ls\",\"-l\"],\"env\":{\"A\":\"b=c\"},\"cwd\":\"/tmp\","
                + "\"user\":\"user\",\"tag\":\"job\",\"timeout_secs\":5}");
    routes.run("exec", ID, "--", "ls");
    assertThat(routes.body(STREAM)).isEqualTo("{\"args\":[\"ls\"],\"timeout_secs\":30}");
    routes.run("exec", "--timeout-secs", "0", ID, "--", "ls");
    assertThat(routes.body(STREAM)).isEqualTo("{\"args\":[\"ls\"]}");
  }

  @Test
  void aSignalEndsExecAsInAShellAndATimeoutIsExplained() {
    routes.on(
        STREAM,
        200,
        """
        {"type":"start","pid":4}
        {"type":"stdout","base64":"/w=="}
        {"type":"signal","signal":9,"name":"SIGKILL","timed_out":true}
        """);
    assertThat(routes.run("exec", ID, "--", "sleep", "99")).isEqualTo(137);
    assertThat(routes.test.out.toByteArray()).as("bytes that are no text").containsExactly(0xff);
    assertThat(routes.err()).contains("killed after 30 s. Next: a larger --timeout.");
  }

  @Test
  void execForProgramsGivesOneObject() {
    routes.on(
        STREAM,
        200,
        """
        {"type":"start","pid":4}
        {"type":"stdout","text":"o"}
        {"type":"stderr","text":"e"}
        {"type":"stdout","text":"ut"}
        {"type":"exit","code":3}
        """);
    assertThat(routes.run("exec", "--json", ID, "--", "x")).isEqualTo(3);
    JsonObject json = Json.parseObject(routes.out());
    assertThat(json.text("stdout")).isEqualTo("out");
    assertThat(json.text("stderr")).isEqualTo("e");
    assertThat(json.integer("exit_code")).isEqualTo(3);
    assertThat(json.flag("timed_out")).isFalse();
  }

  @Test
  void aGuestThatDiesEndsExecWithTheReason() {
    routes.on(
        STREAM,
        200,
        "{\"type\":\"start\",\"pid\":4}\n{\"type\":\"error\",\"error\":\"The guest died.\"}\n");
    assertThat(routes.run("exec", ID, "--", "x")).isEqualTo(1);
    assertThat(routes.err()).contains("The guest died.");
  }

  @Test
  void inputIsPassedOnAndThenClosed() throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    FakeDaemon.Handler handler =
        (request, out) -> {
          String line = request.method() + " " + request.path();
          if (line.equals(STREAM)) {
            out.write(FakeDaemon.linesHead().getBytes(UTF_8));
            out.write(FakeDaemon.chunk("{\"type\":\"start\",\"pid\":4}\n").getBytes(UTF_8));
            closed.join();
            out.write(FakeDaemon.chunk("{\"type\":\"exit\",\"code\":0}\n").getBytes(UTF_8));
            return false;
          }
          out.write(FakeDaemon.reply(204, "", "").getBytes(UTF_8));
          if (request.method().equals("DELETE")) {
            closed.complete(null);
          }
          return true;
        };
    routes.handler(handler);
    assertThat(runWith(input("typed"), "exec", "-i", ID, "--", "cat")).isZero();
    assertThat(routes.body(STREAM)).contains("\"stdin\":true").doesNotContain("timeout");
    assertThat(routes.body("POST " + PROCESSES + "/4/stdin")).isEqualTo("typed");
    assertThat(routes.asked()).contains("DELETE " + PROCESSES + "/4/stdin");
  }

  @Test
  void detachedItPrintsTheProcessAndListensToNothing() {
    routes.on("POST " + PROCESSES, 201, "{\"pid\":41,\"state\":\"running\"}");
    assertThat(routes.run("exec", "--detach", ID, "--", "sleep", "9")).isZero();
    assertThat(routes.out()).isEqualTo("41\n");
    assertThat(routes.asked()).containsExactly("POST " + PROCESSES);
    assertThat(routes.run("exec", "--detach", "-i", ID, "--", "sleep", "9")).isEqualTo(2);
  }

  @Test
  void psShowsWhatRunsAndHowTheRestEnded() {
    routes.on(
        "GET " + PROCESSES,
        200,
        """
        [{"pid":1,"args":["sleep","9"],"user":"root","state":"running","tag":"nap",\
        "started_at":"2026-01-01T00:00:00Z"},
        {"pid":2,"args":["sh"],"user":"user","state":"exited","code":3,"pty":true},
        {"pid":3,"args":["x\\u001b"],"user":"user","state":"signalled","signal":15}]
        """);
    assertThat(routes.run("ps", ID)).isZero();
    assertThat(routes.out())
        .contains("nap", "sleep 9", "exit 3", "signal 15", "x^[", "2026-01-01T00:00:00Z");
    assertThat(routes.run("ps", ID, "--json")).isZero();
    assertThat(routes.out()).startsWith("[{\"pid\":1,");
  }

  @Test
  void attachReplaysAndEndsAsTheProcessDoes() {
    routes.on(
        "GET " + PROCESSES + "/7/output?replay=true",
        200,
        """
        {"type":"start","pid":7}
        {"type":"stdout","text":"kept"}
        {"type":"exit","code":5}
        """);
    assertThat(routes.run("attach", "--replay", ID, "7")).isEqualTo(5);
    assertThat(routes.out()).isEqualTo("kept");
  }

  @Test
  void signalsAreNamedAsPeopleDo() {
    String route = "POST " + PROCESSES + "/7/signal";
    routes.on(route, 204, "");
    for (String word : List.of("term", "TERM", "SIGTERM")) {
      assertThat(routes.run("signal", ID, "7", word)).isZero();
      assertThat(routes.body(route)).isEqualTo("{\"signal\":\"SIGTERM\"}");
    }
    routes.run("signal", ID, "7", "9");
    assertThat(routes.body(route)).isEqualTo("{\"signal\":9}");
    assertThat(routes.run("signal", ID, "7", "not a signal")).isEqualTo(2);
  }

  @Test
  void shellWithoutATerminalTypesItsInputAndItsEnd() throws Exception {
    CompletableFuture<String> typed = new CompletableFuture<>();
    routes.tunnel(
        (in, out) -> {
          FakeSocket socket = new FakeSocket(in, out);
          socket.text("{\"type\":\"start\",\"pid\":7}");
          socket.bytes("$ ".getBytes(UTF_8));
          typed.complete(socket.receive().text() + socket.receive().text());
          socket.text("{\"type\":\"exit\",\"code\":4}");
          socket.close();
        });
    assertThat(runWith(input("exit 4\n"), "shell", "--user", "user", ID)).isEqualTo(4);
    assertThat(typed.get(30, TimeUnit.SECONDS)).isEqualTo("exit 4\n\u0004");
    assertThat(routes.out()).isEqualTo("$ ");
    assertThat(routes.asked())
        .containsExactly(
            "GET /v1/sandboxes/%s/tty?cols=80&rows=24&user=user&term=vt100".formatted(ID));
  }

  @Test
  void wordsOfAProgramReachItAsTheyAre() {
    assertThat(ShellCommand.command(List.of())).isEmpty();
    assertThat(ShellCommand.command(List.of("vim", "it's a file", "")))
        .isEqualTo(Optional.of("exec vim 'it'\\''s a file' ''"));
  }

  @Test
  void aProgramOnATerminalIsStartedFirstAndThenAttachedTo() {
    routes.on("POST " + PROCESSES, 201, "{\"pid\":8}");
    routes.tunnel(
        (in, out) -> {
          FakeSocket socket = new FakeSocket(in, out);
          socket.text("{\"type\":\"start\",\"pid\":8}");
          socket.bytes("drawn".getBytes(UTF_8));
          socket.text("{\"type\":\"signal\",\"signal\":2,\"name\":\"SIGINT\"}");
          socket.close();
        });
    assertThat(runWith(input(""), "exec", "-t", ID, "--", "top")).isEqualTo(130);
    assertThat(routes.out()).isEqualTo("drawn");
    assertThat(routes.body("POST " + PROCESSES))
        .contains("\"TERM\":\"vt100\"", "\"pty\":{\"cols\":80,\"rows\":24}");
    assertThat(routes.asked()).contains("GET " + PROCESSES + "/8/tty?replay=true");
  }
}

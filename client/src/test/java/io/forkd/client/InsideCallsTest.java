package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InsideCallsTest {
  private static final String ID = "sb-0123456789-0000";
  private static final String SANDBOX = "/v1/sandboxes/" + ID;

  private FakeDaemon daemon;
  private ForkdClient client;
  private String answer = "{}";
  private int status = 200;

  @BeforeEach
  void start() throws IOException {
    daemon =
        FakeDaemon.start(
            (_, out) -> {
              out.write(FakeDaemon.reply(status, "", answer).getBytes(UTF_8));
              return true;
            });
    client = ForkdClient.connect(daemon.endpoint());
  }

  @AfterEach
  void stop() {
    client.close();
    daemon.close();
  }

  private void daemonTells(String... chunks) {
    daemon.handler(
        (_, out) -> {
          out.write(FakeDaemon.linesHead().getBytes(UTF_8));
          for (String chunk : chunks) {
            out.write(FakeDaemon.chunk(chunk).getBytes(UTF_8));
          }
          out.write("0\r\n\r\n".getBytes(UTF_8));
          return false;
        });
  }

  private FakeDaemon.Request asked() {
    return daemon.requests().getLast();
  }

  private static <E> List<E> all(Feed<E> feed) {
    List<E> events = new ArrayList<>();
    try (feed) {
      feed.forEach(events::add);
    }
    return events;
  }

  @Test
  void aProcessIsToldFromItsStartToItsEnd() {
    daemonTells(
        "{\"type\":\"start\",\"pid\":12}\n{\"type\":\"stdout\",\"te",
        "xt\":\"grün\\n\"}\n",
        "{\"type\":\"keepalive\"}\n",
        "{\"type\":\"stderr\",\"base64\":\"/wA=\"}\n{\"type\":\"signal\",\"signal\":9,"
            + "\"name\":\"SIGKILL\",\"timed_out\":true}\n");
    ProcessRequest request =
        new ProcessRequest(
            List.of("sleep", "9"),
            Map.of("A", "b"),
            Optional.of("/tmp"),
            Optional.of("user"),
            true,
            Optional.of(new TerminalSize(80, 24)),
            Optional.of("nap"),
            Optional.of(Duration.ofSeconds(5)));
    List<ProcessEvent> events = all(client.processes(ID).run(request));
    assertThat(events).hasSize(4);
    assertThat(events.getFirst()).isEqualTo(new ProcessEvent.Started(12));
    assertThat(events.get(1))
        .isInstanceOfSatisfying(
            ProcessEvent.Output.class,
            output -> assertThat(output.bytes()).isEqualTo("grün\n".getBytes(UTF_8)));
    assertThat(events.get(2))
        .isInstanceOfSatisfying(
            ProcessEvent.Output.class,
            output -> {
              assertThat(output.channel()).isEqualTo(ProcessEvent.Channel.STDERR);
              assertThat(output.bytes()).containsExactly(0xff, 0);
            });
    assertThat(events.getLast())
        .isInstanceOfSatisfying(
            ProcessEvent.End.class,
            end -> {
              assertThat(end.exitCode()).isEqualTo(137);
              assertThat(end.timedOut()).isTrue();
            });
    assertThat(asked().line()).isEqualTo("POST " + SANDBOX + "/processes?stream=true");
    assertThat(asked().body())
        .isEqualTo(
            "{\"args\":[\"sleep\",\"9\"],\"env\":{\"A\":\"b\"},\"cwd\":\"/tmp\",\"user\":\"user\","
                + "\"stdin\":true,\"pty\":{\"cols\":80,\"rows\":24},\"tag\":\"nap\","
                + "\"timeout_secs\":5}");
  }

  @Test
  void outputIsHeardWhenItComes() throws Exception {
    CompletableFuture<Void> heard = new CompletableFuture<>();
    daemon.handler(
        (_, out) -> {
          out.write(FakeDaemon.linesHead().getBytes(UTF_8));
          out.write(FakeDaemon.chunk("{\"type\":\"stdout\",\"text\":\"a\"}\n").getBytes(UTF_8));
          heard.join();
          out.write(FakeDaemon.chunk("{\"type\":\"exit\",\"code\":0}\n").getBytes(UTF_8));
          return false;
        });
    try (Feed<ProcessEvent> feed = client.processes(ID).attach(3, true)) {
      assertThat(feed.next()).containsInstanceOf(ProcessEvent.Output.class);
      heard.complete(null);
      assertThat(feed.next()).contains(new ProcessEvent.Exited(0, false));
      assertThat(feed.next()).isEmpty();
    }
    assertThat(asked().line()).isEqualTo("GET " + SANDBOX + "/processes/3/output?replay=true");
  }

  @Test
  void aProcessWithoutAnEndAndAGuestThatDiedAreErrors() {
    daemonTells("{\"type\":\"start\",\"pid\":1}\n");
    assertThatThrownBy(() -> all(client.processes(ID).attach(1, false)))
        .hasMessageContaining("it ends in the middle");
    daemonTells("{\"type\":\"error\",\"error\":\"The guest died.\"}\n");
    assertThatThrownBy(() -> all(client.processes(ID).attach(1, false)))
        .hasMessage("The guest died.");
    status = 404;
    answer = "{\"error\":\"No such process.\"}";
    daemon.handler(
        (_, out) -> {
          out.write(FakeDaemon.reply(404, "", answer).getBytes(UTF_8));
          return true;
        });
    assertThatThrownBy(() -> client.processes(ID).attach(1, false))
        .isInstanceOfSatisfying(
            ForkdClientException.class, e -> assertThat(e.status()).isEqualTo(404))
        .hasMessage("No such process.");
  }

  @Test
  void closingAFeedEndsAWait() throws Exception {
    CompletableFuture<Void> end = new CompletableFuture<>();
    daemon.handler(
        (_, out) -> {
          out.write(FakeDaemon.linesHead().getBytes(UTF_8));
          out.write(FakeDaemon.chunk("{\"type\":\"start\"}\n").getBytes(UTF_8));
          end.join();
          return false;
        });
    Feed<FileChange> feed = client.files(ID).watch("/tmp", true);
    assertThat(feed.next().orElseThrow().begins()).isTrue();
    CompletableFuture<Optional<FileChange>> waiting = CompletableFuture.supplyAsync(feed::next);
    feed.close();
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
    end.complete(null);
    assertThat(asked().line())
        .isEqualTo("GET " + SANDBOX + "/files/watch?path=%2Ftmp&recursive=true");
  }

  @Test
  void processesAreListedSignalledResizedFedAndKilled() {
    Processes processes = client.processes(ID);
    answer =
        "[{\"pid\":5,\"args\":[\"sh\"],\"cwd\":\"/\",\"user\":\"root\",\"tag\":\"t\",\"pty\":true,"
            + "\"state\":\"signalled\",\"signal\":15}]";
    ProcessInfo info = processes.list().getFirst();
    assertThat(info.tag()).contains("t");
    assertThat(info.signal()).contains(15);
    assertThat(info.running()).isFalse();
    answer = "{}";
    processes.signal(5, "SIGTERM");
    assertThat(asked().body()).isEqualTo("{\"signal\":\"SIGTERM\"}");
    processes.signal(5, "15");
    assertThat(asked().body()).isEqualTo("{\"signal\":15}");
    processes.resize(5, new TerminalSize(10, 20));
    assertThat(asked().body()).isEqualTo("{\"cols\":10,\"rows\":20}");
    processes.send(5, new ByteArrayInputStream("typed".getBytes(UTF_8)));
    assertThat(asked().line()).isEqualTo("POST " + SANDBOX + "/processes/5/stdin");
    assertThat(asked().body()).isEqualTo("typed");
    processes.closeInput(5);
    assertThat(asked().line()).isEqualTo("DELETE " + SANDBOX + "/processes/5/stdin");
    processes.kill(5);
    assertThat(asked().line()).isEqualTo("DELETE " + SANDBOX + "/processes/5");
    answer = "{\"pid\":6}";
    assertThat(processes.start(ProcessRequest.of(List.of("true"))).pid()).isEqualTo(6);
    assertThat(asked().body()).isEqualTo("{\"args\":[\"true\"]}");
  }

  @Test
  void filesTravelUpInChunksOrWithTheirLengthAndDown() {
    byte[] all = new byte[3_000_000];
    new Random(8).nextBytes(all);
    answer = "{\"path\":\"/tmp/a b\",\"type\":\"file\",\"size\":3000000,\"mode\":\"0600\"}";
    SandboxFiles files = client.files(ID).as("user");
    FileWrite how = new FileWrite(true, Optional.of("0600"), OptionalLong.empty());
    FileInfo written = files.write("/tmp/a b", new ByteArrayInputStream(all), how);
    assertThat(written.size()).isEqualTo(3_000_000);
    assertThat(asked().line())
        .isEqualTo("PUT " + SANDBOX + "/files?path=%2Ftmp%2Fa%20b&user=user&append=true&mode=0600");
    assertThat(asked().bytes()).isEqualTo(all);
    assertThat(asked().headers()).containsEntry("transfer-encoding", "chunked");
    files.write("x", new ByteArrayInputStream(all), FileWrite.replacing().sized(all.length));
    assertThat(asked().bytes()).isEqualTo(all);
    assertThat(asked().headers()).containsEntry("content-length", "3000000");
    daemon.handler(
        (_, out) -> {
          out.write(
              ("HTTP/1.1 200 x\r\nContent-Length: " + all.length + "\r\n\r\n").getBytes(UTF_8));
          out.write(all);
          return false;
        });
    ByteArrayOutputStream back = new ByteArrayOutputStream();
    assertThat(client.files(ID).read("/x", 5, OptionalLong.of(7), back)).isEqualTo(all.length);
    assertThat(back.toByteArray()).isEqualTo(all);
    assertThat(asked().line()).isEqualTo("GET " + SANDBOX + "/files?path=%2Fx&offset=5&length=7");
  }

  /** Endless: only a daemon that stops the sender ends it. */
  @Test
  void aRefusalInTheMiddleOfAnUploadIsHeard() throws IOException {
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return 1;
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            return length;
          }
        };
    try (RefusingDaemon refusing = new RefusingDaemon();
        ForkdClient other = ForkdClient.connect(refusing.endpoint())) {
      assertThatThrownBy(() -> other.files(ID).write("/x", endless, FileWrite.replacing()))
          .isInstanceOfSatisfying(
              ForkdClientException.class, e -> assertThat(e.status()).isEqualTo(507))
          .hasMessage("The disk is full.");
    }
  }

  @Test
  void aSourceThatIsShorterThanSaidAndADownloadThatIsCutAreErrors() {
    assertThatThrownBy(
            () ->
                client
                    .files(ID)
                    .write(
                        "/x",
                        new ByteArrayInputStream(new byte[3]),
                        FileWrite.replacing().sized(4)))
        .hasMessageContaining("after 3 of 4 bytes");
    daemon.handler(
        (_, out) -> {
          out.write("HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\nabc".getBytes(UTF_8));
          return false;
        });
    assertThatThrownBy(() -> client.files(ID).read("/x", OutputStream.nullOutputStream()))
        .hasMessageContaining("in the middle of an answer");
  }

  @Test
  void foldersAreListedMadeMovedRemovedChangedAndPacked() {
    SandboxFiles files = client.files(ID);
    answer = "[{\"path\":\"/a/b\",\"name\":\"b\",\"type\":\"symlink\",\"target\":\"c\"}]";
    assertThat(files.list("/a", 2).getFirst().target()).contains("c");
    assertThat(asked().line()).isEqualTo("GET " + SANDBOX + "/files/list?path=%2Fa&depth=2");
    answer = "{\"type\":\"folder\"}";
    assertThat(files.stat("/a").isFolder()).isTrue();
    files.makeFolder("/n");
    assertThat(asked().body()).isEqualTo("{\"path\":\"/n\"}");
    files.as("user").move("/n", "/m");
    assertThat(asked().line()).isEqualTo("POST " + SANDBOX + "/files/move");
    assertThat(asked().body()).isEqualTo("{\"from\":\"/n\",\"to\":\"/m\",\"user\":\"user\"}");
    files.remove("/m");
    assertThat(asked().line()).isEqualTo("DELETE " + SANDBOX + "/files?path=%2Fm");
    files.setAttributes(
        "/a", new FileAttributes(Optional.of("0755"), Optional.of("user"), Optional.empty(), true));
    assertThat(asked().body())
        .isEqualTo("{\"path\":\"/a\",\"mode\":\"0755\",\"owner\":\"user\",\"recursive\":true}");
    files.writeTar("/t", new ByteArrayInputStream(new byte[] {1, 2}));
    assertThat(asked().line()).isEqualTo("PUT " + SANDBOX + "/files/tar?path=%2Ft");
    assertThat(asked().headers()).containsEntry("content-type", "application/x-tar");
    ByteArrayOutputStream tar = new ByteArrayOutputStream();
    answer = "packed";
    files.readTar("/t", tar);
    assertThat(tar.toString(UTF_8)).isEqualTo("packed");
  }

  @Test
  void codeIsRunAndToldInAContext() {
    daemonTells(
        "{\"type\":\"begin\",\"count\":2}\n{\"type\":\"stdout\",\"text\":\"hi\\n\"}\n",
        "{\"type\":\"result\",\"main\":true,\"formats\":{\"text\":\"4\",\"png\":\"aGk=\"}}\n",
        "{\"type\":\"failure\",\"name\":\"E\",\"value\":\"v\",\"traceback\":\"t\"}\n",
        "{\"type\":\"end\"}\n");
    CodeRequest request =
        new CodeRequest(
            "2+2",
            Optional.of("ctx-1"),
            Optional.empty(),
            Map.of("A", "b"),
            Optional.of(Duration.ofSeconds(9)));
    List<CodeEvent> events = all(client.contexts(ID).execute(request));
    assertThat(events).hasSize(5);
    assertThat(events.get(2))
        .isInstanceOfSatisfying(
            CodeEvent.Result.class,
            result -> assertThat(result.formats()).containsEntry("png", "aGk="));
    assertThat(events.get(3)).isInstanceOf(CodeEvent.Failure.class);
    assertThat(asked().line()).isEqualTo("POST " + SANDBOX + "/execute");
    assertThat(asked().body())
        .isEqualTo(
            "{\"code\":\"2+2\",\"context\":\"ctx-1\",\"env\":{\"A\":\"b\"},\"timeout_secs\":9}");
  }

  @Test
  void contextsAreHandledByTheirId() {
    Contexts contexts = client.contexts(ID);
    answer = "[{\"id\":\"python\",\"language\":\"python\",\"cwd\":\"/root\"}]";
    assertThat(contexts.list().getFirst().language()).isEqualTo("python");
    answer = "{\"id\":\"c\"}";
    assertThat(contexts.create("python", Optional.of("/tmp")).id()).isEqualTo("c");
    assertThat(asked().body()).isEqualTo("{\"language\":\"python\",\"cwd\":\"/tmp\"}");
    contexts.restart("c");
    contexts.interrupt("c");
    contexts.delete("c");
    assertThat(daemon.requests().stream().skip(2).map(FakeDaemon.Request::line))
        .containsExactly(
            "POST " + SANDBOX + "/contexts/c/restart",
            "POST " + SANDBOX + "/contexts/c/interrupt",
            "DELETE " + SANDBOX + "/contexts/c");
  }

  @Test
  void metricsAndVariables() {
    answer = "{\"cpus\":1,\"cpu_used_percent\":12.5,\"memory_total\":1000,\"memory_used\":10}";
    assertThat(client.metrics(ID).cpuUsedPercent()).isEqualTo(12.5);
    client.setEnvironment(ID, Map.of("A", "b"));
    assertThat(asked().line()).isEqualTo("PUT " + SANDBOX + "/env");
    assertThat(asked().body()).isEqualTo("{\"A\":\"b\"}");
  }
}

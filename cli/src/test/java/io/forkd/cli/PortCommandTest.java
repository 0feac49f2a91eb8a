package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.FakeDaemon;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PortCommandTest {
  private static final String ID = "sb-0123456789-0000";

  private TestContext test;
  private FakeDaemon daemon;
  private volatile boolean gone;
  private volatile String upgradeAnswer = "";

  @BeforeEach
  void start() throws IOException {
    test = new TestContext();
    daemon =
        FakeDaemon.startOn(
            test.socket(),
            (request, out) -> {
              String reply =
                  request.path().contains("/ports/")
                      ? upgradeAnswer
                      : gone && request.path().startsWith("/v1/")
                          ? FakeDaemon.reply(404, "", "{\"error\":\"There is no such sandbox.\"}")
                          : FakeDaemon.reply(200, "", "{\"id\":\"%s\",\"ok\":true}".formatted(ID));
              out.write(reply.getBytes(UTF_8));
              return true;
            });
  }

  @AfterEach
  void stop() {
    daemon.close();
    test.close();
  }

  /** A command that goes on until it is interrupted. */
  private final class Running implements AutoCloseable {
    final CompletableFuture<Integer> code = new CompletableFuture<>();
    final Thread thread;

    Running(String... args) {
      thread = Thread.ofPlatform().start(() -> code.complete(test.run(args)));
    }

    String awaitOut(String part) throws InterruptedException {
      while (!test.out().contains(part) || !test.out().endsWith("\n")) {
        assertThat(code.isDone()).as(test.err()).isFalse();
        Thread.sleep(5);
      }
      return test.out();
    }

    @Override
    public void close() {
      thread.interrupt();
      assertThat(code.join()).isZero();
    }
  }

  private static List<Integer> localPorts(String json) {
    List<Integer> ports = new ArrayList<>();
    Matcher matcher = Pattern.compile("\"local_port\":(\\d+)").matcher(json);
    while (matcher.find()) {
      ports.add(Integer.valueOf(matcher.group(1)));
    }
    return ports;
  }

  @Test
  void connectionsGoToTheSandboxManyAtOnce() throws Exception {
    daemon.tunnel((in, out) -> in.transferTo(out));
    try (Running running = new Running("port", ID, "0:8000", "0:9000", "--json")) {
      String line = running.awaitOut("forwards");
      assertThat(line.lines()).hasSize(1);
      assertThat(Json.parseObject(line).text("daemon")).isEqualTo("unix://" + test.socket());
      List<Integer> ports = localPorts(line);
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports.get(i % 2));
        sockets.add(socket);
        socket.getOutputStream().write("hello %02d".formatted(i).getBytes(UTF_8));
      }
      for (int i = 0; i < 50; i++) {
        try (Socket socket = sockets.get(i)) {
          socket.shutdownOutput();
          assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
              .isEqualTo("hello %02d".formatted(i));
        }
      }
      assertThat(daemon.requests().stream().filter(r -> r.path().endsWith("/ports/8000")))
          .hasSize(25);
    }
  }

  @Test
  void aPortInUseIsReplacedByAFreeOneAndItSaysSo() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      try (Running running = new Running("port", ID, port)) {
        String out = running.awaitOut("→");
        assertThat(out).contains("http://127.0.0.1:", "port %s of %s".formatted(port, ID));
        assertThat(out).doesNotContain("127.0.0.1:" + port + " ");
        while (!test.err().contains("Ctrl-C")) {
          Thread.sleep(5);
        }
        assertThat(test.err())
            .contains("port %s is in use".formatted(port))
            .contains(
                "curl --unix-socket %s http://forkd/v1/sandboxes/%s/ports/%s/"
                    .formatted(test.socket(), ID, port));
      }
      test.err.reset();
      assertThat(test.run("port", ID, port + ":80")).isEqualTo(1);
      assertThat(test.err()).contains("Cannot listen", "Next:");
      assertThat(test.run("port", ID, "80", "--listen", "127.0.0.1:" + port)).isEqualTo(1);
    }
  }

  @Test
  void aSandboxThatDoesNotExistFailsAtOnce() {
    gone = true;
    assertThat(test.run("port", ID, "8000")).isEqualTo(1);
    assertThat(test.err()).contains("There is no such sandbox");
  }

  @Test
  void aSandboxThatEndsEndsTheCommand() throws Exception {
    Running running = new Running("port", ID, "0:8000", "--json");
    int port = localPorts(running.awaitOut("forwards")).getFirst();
    upgradeAnswer = FakeDaemon.reply(404, "", "{\"error\":\"It was killed.\"}");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertThat(running.code.get(30, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(test.err()).contains("It was killed.");
      assertThat(socket.isConnected()).isTrue();
    }
  }

  @Test
  void whereNothingListensTheCallerIsCutOffAndTheUserToldOnce() throws Exception {
    upgradeAnswer = FakeDaemon.reply(502, "", "{\"error\":\"Nothing listens.\"}");
    try (Running running = new Running("port", ID, "0:8000", "--json")) {
      int port = localPorts(running.awaitOut("forwards")).getFirst();
      for (int i = 0; i < 3; i++) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
          assertThat(readOrCutOff(socket)).isNegative();
        }
      }
      assertThat(test.err()).containsOnlyOnce("Nothing listens.");
      daemon.tunnel((in, out) -> out.write('x'));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(socket.getInputStream().read()).isEqualTo('x');
      }
    }
  }

  private static int readOrCutOff(Socket socket) {
    try {
      return socket.getInputStream().read();
    } catch (IOException e) {
      return -1;
    }
  }

  @Test
  void otherHostsAreLetInOnlyWhenAllowed() throws Exception {
    assertThat(test.run("port", ID, "0:8000", "--listen", "0.0.0.0")).isEqualTo(2);
    assertThat(test.err()).contains("--public");
    test.err.reset();
    try (Running running =
        new Running("port", ID, "0:8000", "--listen", "0.0.0.0", "--public", "--json")) {
      JsonObject line = Json.parseObject(running.awaitOut("forwards"));
      assertThat(line.text("sandbox")).isEqualTo(ID);
      assertThat(test.err()).contains("whoever reaches 0.0.0.0 reaches the sandbox");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "8000x,",
    "0,",
    "65536,",
    "70000:80,",
    "-1,",
    "a:80,",
    "80:,",
    "80,127.0.0.1:99999",
    "80,127.0.0.1:x",
    "80,::1",
    "80:80,127.0.0.1:80"
  })
  void whatIsNoPortIsRefused(String port, String listen) {
    List<String> args = new ArrayList<>(List.of("port"));
    if (listen != null) {
      args.addAll(List.of("--listen", listen));
    }
    args.addAll(List.of(ID, "--", port));
    assertThat(test.run(args.toArray(String[]::new))).isEqualTo(2);
    assertThat(test.err()).startsWith("forkd: ");
    assertThat(daemon.requests()).noneMatch(request -> request.path().startsWith("/v1/"));
  }
}

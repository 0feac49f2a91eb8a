package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TtyTest {
  private static final String ID = "sb-0123456789-0000";
  private static final TerminalRequest SHELL =
      new TerminalRequest(
          Optional.empty(),
          new TerminalSize(80, 24),
          Optional.of("user"),
          Optional.empty(),
          Optional.of("vt100"));

  private FakeDaemon daemon;
  private ForkdClient client;

  @BeforeEach
  void start() throws IOException {
    daemon = FakeDaemon.start((_, _) -> false);
    client = ForkdClient.connect(daemon.endpoint());
  }

  @AfterEach
  void stop() {
    client.close();
    daemon.close();
  }

  /** Serves one terminal. */
  private interface Serving {
    void serve(FakeSocket socket) throws IOException;
  }

  private void daemonDoes(Serving serving) {
    daemon.tunnel((in, out) -> serving.serve(new FakeSocket(in, out)));
  }

  @Test
  void whatIsTypedGoesInAndWhatIsDrawnComesOut() {
    daemonDoes(
        socket -> {
          socket.text("{\"type\":\"start\",\"pid\":7}");
          socket.bytes(("echo " + socket.receive().text()).getBytes(UTF_8));
          socket.bytes(socket.receive().bytes());
          socket.bytes(socket.receive().bytes());
          socket.text("{\"type\":\"exit\",\"code\":3}");
          socket.close();
        });
    try (Tty tty = client.terminal(ID, SHELL)) {
      assertThat(tty.next()).contains(new ProcessEvent.Started(7));
      tty.type("lsXX".getBytes(UTF_8), 2);
      assertThat(text(tty)).isEqualTo("echo ls");
      tty.resize(new TerminalSize(100, 30));
      assertThat(text(tty)).isEqualTo("{\"type\":\"resize\",\"cols\":100,\"rows\":30}");
      tty.signal("SIGINT");
      assertThat(text(tty)).isEqualTo("{\"type\":\"signal\",\"signal\":\"SIGINT\"}");
      assertThat(tty.next()).contains(new ProcessEvent.Exited(3, false));
      assertThat(tty.next()).isEmpty();
    }
    assertThat(daemon.requests().getFirst().path())
        .isEqualTo("/v1/sandboxes/%s/tty?cols=80&rows=24&user=user&term=vt100".formatted(ID));
  }

  private static String text(Tty tty) {
    return tty.next()
        .map(event -> new String(((ProcessEvent.Output) event).bytes(), UTF_8))
        .orElse("");
  }

  @Test
  void messagesOfEveryLengthTravelWholeAlsoInPiecesAndBetweenPings() {
    byte[] all = new byte[200_000];
    new Random(5).nextBytes(all);
    daemonDoes(
        socket -> {
          for (int size : new int[] {0, 125, 126, 65_535, 65_536, 200_000}) {
            socket.frame(false, FakeSocket.BINARY, Arrays.copyOf(all, size / 2));
            socket.frame(true, FakeSocket.PING, new byte[] {1, 2});
            socket.frame(true, 0, Arrays.copyOfRange(all, size / 2, size));
            if (socket.receive().opcode() != FakeSocket.PONG) {
              throw new IOException("a ping was not answered");
            }
            byte[] back = socket.receive().bytes();
            socket.bytes(back);
          }
        });
    try (Tty tty = client.terminal(ID, SHELL)) {
      for (int size : new int[] {0, 125, 126, 65_535, 65_536, 200_000}) {
        assertThat(bytes(tty)).isEqualTo(Arrays.copyOf(all, size));
        tty.type(all, size);
        assertThat(bytes(tty)).isEqualTo(Arrays.copyOf(all, size));
      }
    }
  }

  private static byte[] bytes(Tty tty) {
    return ((ProcessEvent.Output) tty.next().orElseThrow()).bytes();
  }

  @Test
  void anEndWithoutAWordIsAnError() {
    daemonDoes(FakeSocket::close);
    try (Tty tty = client.terminal(ID, SHELL)) {
      assertThatThrownBy(tty::next)
          .isInstanceOf(ForkdClientException.class)
          .hasMessageContaining("before the program ended");
    }
  }

  @Test
  void whatTheGuestDiedOfIsTold() {
    daemonDoes(
        socket -> {
          socket.text("{\"type\":\"error\",\"error\":\"No such size.\"}");
          socket.bytes(new byte[1]);
          socket.text("{\"type\":\"error\",\"error\":\"The guest died.\"}");
          socket.close();
        });
    try (Tty tty = client.terminal(ID, SHELL)) {
      assertThat(bytes(tty)).as("an error that was not the end").hasSize(1);
      assertThatThrownBy(tty::next).hasMessage("The guest died.");
    }
  }

  @Test
  void framesThatBreakTheProtocolEndIt() {
    daemonDoes(socket -> socket.frame(true, FakeSocket.PING, new byte[126]));
    try (Tty tty = client.terminal(ID, SHELL)) {
      assertThatThrownBy(tty::next).hasMessageContaining("malformed");
    }
    daemonDoes(socket -> socket.frame(true, 0, new byte[1]));
    try (Tty tty = client.terminal(ID, SHELL)) {
      assertThatThrownBy(tty::next).hasMessageContaining("middle");
    }
  }

  @Test
  void closingEndsAWait() throws Exception {
    daemonDoes(FakeSocket::receive);
    Tty tty = client.terminal(ID, SHELL);
    CompletableFuture<Optional<ProcessEvent>> waiting = CompletableFuture.supplyAsync(tty::next);
    tty.close();
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void aRefusalIsToldInTheDaemonsWords() {
    daemon.handler(
        (_, out) -> {
          out.write(FakeDaemon.reply(404, "", "{\"error\":\"No such sandbox.\"}").getBytes(UTF_8));
          return true;
        });
    assertThatThrownBy(() -> client.terminal(ID, SHELL))
        .isInstanceOfSatisfying(
            ForkdClientException.class, e -> assertThat(e.status()).isEqualTo(404))
        .hasMessage("No such sandbox.");
  }

  @Test
  void overTcpTheHandshakeIsTheSameAndAWrongAnswerIsRefused() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<String> head = CompletableFuture.supplyAsync(() -> answerWrongly(listener));
      URI base = URI.create("http://127.0.0.1:" + listener.getLocalPort());
      try (ForkdClient tcp = ForkdClient.connect(new Endpoint.Tcp(base, Optional.of("secret")))) {
        assertThatThrownBy(() -> tcp.processes(ID).terminal(9, true))
            .hasMessageContaining("not a WebSocket's");
      }
      assertThat(head.get(30, TimeUnit.SECONDS))
          .startsWith("GET /v1/sandboxes/%s/processes/9/tty?replay=true HTTP/1.1\r\n".formatted(ID))
          .contains("Authorization: Bearer secret\r\n", "Sec-WebSocket-Version: 13\r\n");
    }
  }

  private static String answerWrongly(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(UTF_8).endsWith("\r\n\r\n")) {
        head.write(socket.getInputStream().read());
      }
      socket
          .getOutputStream()
          .write(
              "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n"
                  .getBytes(UTF_8));
      return head.toString(UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theKeysAnswerIsThatOfTheStandard() {
    assertThat(WebSocket.acceptance("dGhlIHNhbXBsZSBub25jZQ=="))
        .isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  }
}

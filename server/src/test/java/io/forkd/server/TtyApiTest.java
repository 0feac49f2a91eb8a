package io.forkd.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Terminals over a WebSocket client that is not ours. */
@Timeout(60)
class TtyApiTest {
  private final TestServer server = TestServer.open();
  private final HttpClient http = HttpClient.newHttpClient();
  private String sandbox;

  @BeforeEach
  void fork() throws IOException {
    sandbox = "/v1/sandboxes/" + server.fork();
  }

  @AfterEach
  void stop() throws IOException {
    http.shutdownNow();
    server.forkd.guests.close();
    server.close();
  }

  private TtyClient open(String path) throws Exception {
    return TtyClient.open(http, server.uri(sandbox + path));
  }

  @Test
  void aShellReadsWhatIsTypedAndTellsHowItEnded() throws Exception {
    try (TtyClient tty = open("/tty?cols=77&rows=13")) {
      long pid = tty.told("start").path("pid").asLong();
      assertThat(pid).isPositive();
      tty.type("stty size; echo $TERM; tty\n");
      tty.shows("13 77");
      tty.shows("xterm-256color");
      tty.shows("/dev/pts/");
      tty.type("exit 5\n");
      assertThat(tty.told("exit").path("code").asInt()).isEqualTo(5);
      assertThat(tty.closed()).isEqualTo(1000);
    }
  }

  @Test
  void aWindowIsResizedAndACommandInterrupted() throws Exception {
    try (TtyClient tty = open("/tty?cmd=exec+sh")) {
      tty.told("start");
      tty.say("{\"type\":\"resize\",\"cols\":101,\"rows\":41}");
      tty.type("stty size\n");
      tty.shows("41 101");
      // The process that says it is the one that is interrupted: a shell about to start another may
      // lose the signal.
      tty.type("sh -c \"echo go''ing; exec sleep 1000\"\n");
      tty.shows("going");
      tty.type("\u0003");
      tty.type("echo ba'ck'\n");
      tty.shows("back");
    }
  }

  @Test
  void aSignalEndsIt() throws Exception {
    try (TtyClient tty = open("/tty?cmd=exec+sleep+1000")) {
      tty.told("start");
      tty.say("{\"type\":\"signal\",\"signal\":\"SIGKILL\"}");
      JsonNode end = tty.told("signal");
      assertThat(end.path("signal").asInt()).isEqualTo(9);
      assertThat(tty.closed()).isEqualTo(1000);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "[]",
        "{\"type\":\"dance\"}",
        "{\"type\":\"resize\",\"cols\":0,\"rows\":1}"
      })
  void nonsenseIsRefusedAndTheTerminalGoesOn(String nonsense) throws Exception {
    try (TtyClient tty = open("/tty?cmd=exec+cat")) {
      tty.told("start");
      tty.say(nonsense);
      assertThat(tty.told("error").path("error").asString()).isNotBlank();
      tty.type("still here\n");
      tty.shows("still here");
    }
  }

  @Test
  void whenTheConnectionBreaksTheShellGoesOnAndIsFoundAgain() throws Exception {
    long pid;
    TtyClient first = open("/tty?cmd=exec+sh");
    pid = first.told("start").path("pid").asLong();
    first.type("X=kept; echo rea''dy\n");
    first.shows("ready");
    first.breakOff();
    try (TtyClient second = open("/processes/" + pid + "/tty")) {
      assertThat(second.told("start").path("pid").asLong()).isEqualTo(pid);
      second.shows("ready");
      second.type("echo it is $X\n");
      second.shows("it is kept");
    }
  }

  @Test
  void whoSaysGoodbyeHangsUpOnWhatItStarted() throws Exception {
    long pid;
    try (TtyClient tty = open("/tty?cmd=exec+sleep+1000")) {
      pid = tty.told("start").path("pid").asLong();
    }
    String state = "running";
    while (state.equals("running")) {
      state = server.get(sandbox + "/processes/" + pid).json().path("state").asString();
      Thread.sleep(10);
    }
    assertThat(state).isEqualTo("signalled");
  }

  @Test
  void aGuestThatDiesIsTold() throws Exception {
    try (TtyClient tty = open("/tty?cmd=exec+cat")) {
      tty.told("start");
      server.forkd.guests.close();
      assertThat(tty.told("error").path("error").asString()).isNotBlank();
      assertThat(tty.closed()).isEqualTo(1011);
    }
  }

  @Test
  void muchIsShownWhole() throws Exception {
    try (TtyClient tty = open("/tty?cmd=head+-c+3000000+/dev/zero+%7C+tr+'%5C0'+x")) {
      tty.told("start");
      assertThat(tty.told("exit").path("code").asInt()).isZero();
      assertThat(tty.shown().getBytes(UTF_8)).hasSize(3_000_000);
    }
  }

  @Test
  void whatIsNoWebSocketIsToldSoAndStartsNothing() throws IOException {
    assertThat(server.get(sandbox + "/tty").status()).isEqualTo(426);
    assertThat(server.get(sandbox + "/processes").json().values()).isEmpty();
    assertThat(server.get(sandbox + "/processes/1/tty").status()).isEqualTo(426);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tty?cols=0", "/tty?user=nobody-at-all", "/processes/4194303/tty"})
  void whatCannotBeOpenedIsRefusedInHttp(String path) throws IOException {
    try (Wire wire = server.tcp()) {
      wire.request(
          "GET",
          sandbox + path,
          "",
          "Connection: Upgrade",
          "Upgrade: websocket",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
      assertThat(wire.answer().status()).isIn(400, 404);
    }
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

@Timeout(120)
class LogTest {
  @TempDir private Path folder;

  private static LoggingEvent event(String message, @Nullable Throwable thrown) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger logger = context.getLogger("io.forkd.server.Dispatcher");
    LoggingEvent event = new LoggingEvent("x", logger, Level.WARN, message, thrown, null);
    event.setTimeStamp(1_700_000_000_123L);
    event.setMDCPropertyMap(Map.of(RequestId.LOG_KEY, "rq-1"));
    return event;
  }

  private static String line(LogFormat format, LoggingEvent event) {
    return new String(new LogLines(format).encode(event), StandardCharsets.UTF_8);
  }

  @Test
  void linesForPeopleEndWithTheRequest() {
    assertThat(line(LogFormat.TEXT, event("it failed", null)))
        .matches("2023-11-1[45]T\\S+ WARN  Dispatcher: it failed \\[rq-1]\n");
    assertThat(line(LogFormat.TEXT, event("it failed", new IOException("gone"))))
        .contains("[rq-1]\njava.io.IOException: gone\n\tat ");
  }

  @Test
  void linesForProgramsAreOneObjectEach() {
    String line = line(LogFormat.JSON, event("two\nlines and \"quotes\"", new IOException("gone")));
    assertThat(line).endsWith("}\n").hasLineCount(1);
    JsonNode json = Answer.parse(line);
    assertThat(json.path("time").asString()).isEqualTo("2023-11-14T22:13:20.123Z");
    assertThat(json.path("level").asString()).isEqualTo("WARN");
    assertThat(json.path("logger").asString()).isEqualTo("io.forkd.server.Dispatcher");
    assertThat(json.path("message").asString()).isEqualTo("two\nlines and \"quotes\"");
    assertThat(json.path("request_id").asString()).isEqualTo("rq-1");
    assertThat(json.path("trace").asString()).startsWith("java.io.IOException: gone");
  }

  @Test
  void aLogThatIsLargeIsCopiedAndCut() throws IOException {
    Path log = folder.resolve("daemon.log");
    LogTrim trim = new LogTrim(log, 10, 1);
    for (int i = 0; i < 5; i++) {
      Files.writeString(log, "line %d, long enough\n".formatted(i));
      trim.run();
      assertThat(log).isEmptyFile();
    }
    Files.writeString(log, "short\n");
    trim.run();
    assertThat(log).hasContent("short");
    assertThat(log.resolveSibling("daemon.log.1")).hasContent("line 4, long enough");
    assertThat(log.resolveSibling("daemon.log.3")).hasContent("line 2, long enough");
    assertThat(log.resolveSibling("daemon.log.4")).doesNotExist();
  }

  @Test
  void standardOutputIsNotCutWhenItGoesElsewhere() {
    assertThat(LogTrim.ofStandardOutput(folder.resolve("daemon.log"))).isEmpty();
  }

  @Test
  void aDaemonLogsJsonWhenItIsTold() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder, "--log-format", "json")) {
      while (!daemon.output().contains(" ready pid=")) {
        Thread.sleep(20);
      }
      Answer answer = daemon.call("GET", "/v1/snapshots/boom-INTERNAL/info", "");
      assertThat(answer.status()).isEqualTo(500);
      daemon.terminate();
      daemon.awaitEnd();
      // The warnings of the JVM and the word of the fake core are none of the daemon's lines.
      List<JsonNode> lines =
          daemon
              .output()
              .lines()
              .filter(line -> !line.matches("(WARNING: |core opened).*"))
              .map(Answer::parse)
              .toList();
      JsonNode failure =
          lines.stream()
              .filter(line -> line.path("level").asString().equals("ERROR"))
              .findFirst()
              .orElseThrow();
      assertThat(failure.path("request_id").asString()).isEqualTo(answer.header("x-request-id"));
      assertThat(failure.path("message").asString())
          .contains("GET /v1/snapshots/boom-INTERNAL/info failed, reference r-");
    }
  }

  @Test
  void refusalsForLackOfRoomAreNoAlarm() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder)) {
      daemon.awaitReady();
      assertThat(daemon.call("GET", "/v1/snapshots/boom-FULL/info", "").status()).isEqualTo(503);
      daemon.terminate();
      daemon.awaitEnd();
      assertThat(daemon.output())
          .containsPattern("INFO  Dispatcher: GET \\S+ was not done: as told: FULL \\[rq-")
          .doesNotContain("ForkdException");
    }
  }

  @Test
  void anUnknownFormatIsRefused() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder, "--log-format", "xml")) {
      assertThat(daemon.awaitEnd()).isEqualTo(2);
      assertThat(daemon.output())
          .contains("--log-format is 'xml' (from the command line): use text or json.");
    }
  }
}

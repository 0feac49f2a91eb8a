package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class QmpTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir Path temp;
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private FakeMonitor monitor(FakeMonitor.Script script) throws IOException {
    FakeMonitor monitor = new FakeMonitor(socket(), script);
    opened.add(monitor);
    return monitor;
  }

  private Path socket() {
    return temp.resolve("qmp.sock");
  }

  private Qmp connect() {
    Qmp qmp = Qmp.connect(socket(), LONG);
    opened.add(qmp);
    return qmp;
  }

  private static void assertFails(ThrowingCallable call, ErrorCode code, String... said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(said);
  }

  @Test
  void waitsForTheGreetingAndAgreesOnCapabilitiesFirst() throws Exception {
    FakeMonitor monitor =
        monitor(
            qemu -> {
              qemu.welcome();
              qemu.hear("stop");
              qemu.say(FakeMonitor.DONE);
            });
    connect().execute("stop");
    monitor.assertPlayed();
  }

  @Test
  void sendsArgumentsAndGivesBackWhatQemuReturns() throws Exception {
    CompletableFuture<String> sent = new CompletableFuture<>();
    monitor(
        qemu -> {
          qemu.welcome();
          sent.complete(qemu.hear());
          qemu.say("{\"return\": {\"status\": \"completed\", \"n\": 7}}");
        });
    var result = connect().execute("query-migrate", Map.of("uri", "file:\"x\"\n"));
    assertThat(result.path("status").asString("")).isEqualTo("completed");
    assertThat(result.path("n").asInt(0)).isEqualTo(7);
    assertThat(sent.join())
        .contains("\"execute\":\"query-migrate\"")
        .contains("{\"uri\":\"file:\\\"x\\\"\\n\"}");
  }

  @Test
  void eventsAreNoAnswersWhereverTheyCome() throws Exception {
    String event = "{\"event\": \"STOP\", \"timestamp\": {\"seconds\": 1}, \"data\": {}}";
    monitor(
        qemu -> {
          qemu.say(FakeMonitor.GREETING);
          qemu.say(event);
          qemu.hear("qmp_capabilities");
          qemu.say(event);
          qemu.say(FakeMonitor.DONE);
          for (int i = 0; i < 1000; i++) {
            qemu.say(event);
          }
          qemu.hear("query-status");
          qemu.say(event);
          qemu.say("{\"return\": {\"running\": true}}");
        });
    assertThat(connect().execute("query-status").path("running").asBoolean(false)).isTrue();
  }

  @Test
  void aRefusalIsAFailureWithQemusReasonAndTheConnectionGoesOn() throws Exception {
    monitor(
        qemu -> {
          qemu.welcome();
          qemu.hear("cont");
          qemu.say("{\"error\": {\"class\": \"GenericError\", \"desc\": \"not now\"}}");
          qemu.hear("stop");
          qemu.say("{\"error\": {\"class\": \"GenericError\"}}");
          qemu.hear("query-status");
          qemu.say("{\"return\": 5}");
        });
    Qmp qmp = connect();
    assertFails(() -> qmp.execute("cont"), ErrorCode.GUEST_FAILED, "'cont'", "not now");
    assertFails(() -> qmp.execute("stop"), ErrorCode.GUEST_FAILED, "'stop'", "no reason given");
    assertThat(qmp.execute("query-status").asInt(0)).isEqualTo(5);
  }

  @Test
  void aQemuThatDiesMidCommandEndsTheWaitAtOnceAndForGood() throws Exception {
    monitor(
        qemu -> {
          qemu.welcome();
          qemu.hear("stop");
          qemu.hangUp();
        });
    Qmp qmp = connect();
    assertFails(
        () -> qmp.execute("stop", Map.of(), LONG), ErrorCode.GUEST_FAILED, "QEMU ended", "'stop'");
    assertFails(() -> qmp.execute("cont", Map.of(), LONG), ErrorCode.GUEST_FAILED, "'cont'");
    assertFails(() -> qmp.execute("cont", Map.of(), LONG), ErrorCode.GUEST_FAILED, "'cont'");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aQemuThatDiesWhileItStartsIsNotWaitedFor(int after) throws Exception {
    monitor(
        qemu -> {
          if (after > 0) {
            qemu.say(FakeMonitor.GREETING);
          }
          if (after > 1) {
            qemu.hear("qmp_capabilities");
          }
          qemu.hangUp();
        });
    assertFails(() -> Qmp.connect(socket(), LONG), ErrorCode.GUEST_FAILED, "QEMU");
  }

  @Test
  void noAnswerIsATimeoutAfterWhichTheConnectionCannotBeUsed() throws Exception {
    FakeMonitor monitor =
        monitor(
            qemu -> {
              qemu.welcome();
              qemu.hear("stop");
              assertThat(qemu.heardHangUp()).isTrue();
            });
    Qmp qmp = connect();
    assertFails(
        () -> qmp.execute("stop", Map.of(), SHORT), ErrorCode.TIMEOUT, "did not answer 'stop'");
    monitor.assertPlayed();
    assertFails(() -> qmp.execute("cont", Map.of(), LONG), ErrorCode.GUEST_FAILED, "'cont'");
  }

  @Test
  void aQemuThatNeverGreetsIsATimeoutAndIsHungUpOn() throws Exception {
    FakeMonitor monitor = monitor(qemu -> assertThat(qemu.heardHangUp()).isTrue());
    assertFails(() -> Qmp.connect(socket(), SHORT), ErrorCode.TIMEOUT, "the greeting");
    monitor.assertPlayed();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"garbage", "{", "{\"return\": {}", "\u0000\u0001", "{\"return\": {}} and more"})
  void aLineThatIsNotJsonEndsTheConnection(String line) throws Exception {
    FakeMonitor monitor =
        monitor(
            qemu -> {
              qemu.welcome();
              qemu.hear("stop");
              qemu.say(line);
              assertThat(qemu.heardHangUp()).isTrue();
            });
    Qmp qmp = connect();
    assertFails(
        () -> qmp.execute("stop", Map.of(), LONG), ErrorCode.GUEST_FAILED, "nonsense", "'stop'");
    monitor.assertPlayed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "42", "[]", "null", "\"return\"", "{}", "{\"returned\": 1}"})
  void anAnswerThatIsNeitherResultNorErrorIsNotTakenForSuccess(String line) throws Exception {
    monitor(
        qemu -> {
          qemu.welcome();
          qemu.hear("cont");
          qemu.say(line);
        });
    Qmp qmp = connect();
    assertFails(() -> qmp.execute("cont", Map.of(), LONG), ErrorCode.GUEST_FAILED, "nonsense");
    assertFails(() -> qmp.execute("stop", Map.of(), LONG), ErrorCode.GUEST_FAILED, "'stop'");
  }

  @Test
  void aLineWithoutEndIsCutOffBeforeItFillsOurMemory() throws Exception {
    FakeMonitor monitor =
        monitor(
            qemu -> {
              qemu.welcome();
              qemu.hear("stop");
              String chunk = "{\"a\": \"" + "x".repeat(1 << 20);
              assertThatThrownBy(
                      () -> {
                        while (true) {
                          qemu.sayWithoutEnd(chunk);
                        }
                      })
                  .isInstanceOf(IOException.class);
            });
    assertFails(() -> connect().execute("stop", Map.of(), LONG), ErrorCode.GUEST_FAILED, "broke");
    monitor.assertPlayed();
  }

  @Test
  void aFloodOfAnswersNobodyAskedForEndsTheConnection() throws Exception {
    FakeMonitor monitor =
        monitor(
            qemu -> {
              qemu.welcome();
              assertThatThrownBy(
                      () -> {
                        while (true) {
                          qemu.say(FakeMonitor.DONE);
                        }
                      })
                  .isInstanceOf(IOException.class);
            });
    Qmp qmp = connect();
    monitor.assertPlayed();
    assertThatThrownBy(
            () -> {
              while (true) {
                qmp.execute("stop", Map.of(), LONG);
              }
            })
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED));
  }

  @Test
  void parallelCallersGetTheirOwnAnswers() throws Exception {
    monitor(
        qemu -> {
          qemu.welcome();
          for (int i = 0; i < 200; i++) {
            String number = qemu.hear().replaceAll("\\D", "");
            qemu.say("{\"event\": \"NOISE\"}");
            qemu.say("{\"return\": %s}".formatted(number));
          }
        });
    Qmp qmp = connect();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        int number = i;
        answers.add(threads.submit(() -> qmp.execute("n", Map.of("v", number), LONG).asInt(-1)));
      }
      for (int i = 0; i < 200; i++) {
        assertThat(answers.get(i).get()).isEqualTo(i);
      }
    }
  }

  @Test
  void theEndOfQemuEndsEveryCallersWait() throws Exception {
    monitor(
        qemu -> {
          qemu.welcome();
          qemu.hear();
          qemu.hangUp();
        });
    Qmp qmp = connect();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        waiting.add(threads.submit(() -> qmp.execute("stop", Map.of(), LONG)));
      }
      for (Future<?> each : waiting) {
        assertThatThrownBy(each::get)
            .isInstanceOf(ExecutionException.class)
            .cause()
            .isInstanceOfSatisfying(
                ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED));
      }
    }
  }

  @Test
  void anInterruptedCallerLeavesNoAnswerBehindForTheNextOne() throws Exception {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    monitor(
        qemu -> {
          qemu.welcome();
          qemu.hear("stop");
          asked.complete(null);
          assertThat(qemu.heardHangUp()).isTrue();
        });
    Qmp qmp = connect();
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread caller =
        Thread.startVirtualThread(
            () -> {
              try {
                qmp.execute("stop", Map.of(), LONG);
              } catch (ForkdException e) {
                failure.complete(e);
              }
            });
    asked.join();
    caller.interrupt();
    // It is met either while it writes or while it waits.
    assertThat(failure.join()).isInstanceOf(ForkdException.class);
    assertFails(() -> qmp.execute("cont", Map.of(), LONG), ErrorCode.GUEST_FAILED, "'cont'");
  }

  @Test
  void aSocketNobodyListensAtIsNamed() {
    assertFails(() -> Qmp.connect(socket(), LONG), ErrorCode.GUEST_FAILED, socket().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "9223372036854775807", "-9223372036854775808", "\"now\""})
  void whenTheGuestStopsIsToldWhateverClockQemuGoesBy(String seconds) throws Exception {
    monitor(
        qemu -> {
          qemu.welcome();
          qemu.hear("stop");
          qemu.say("{\"event\": \"STOP\", \"timestamp\": {\"seconds\": %s}}".formatted(seconds));
          qemu.say(FakeMonitor.DONE);
        });
    Qmp qmp = connect();
    CompletableFuture<Long> stop = qmp.nextStop();
    long before = System.nanoTime();
    qmp.execute("stop");
    assertThat(stop.join() - before).isBetween(0L, System.nanoTime() - before);
  }
}

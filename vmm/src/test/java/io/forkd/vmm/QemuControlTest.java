package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Child;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a guest is steered, with a test's script for QEMU's monitor and sleep for its process. */
@Timeout(30)
class QemuControlTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path temp;
  private final Child process = Spawn.of(Path.of("/bin/sleep"), List.of("1000")).start();

  @AfterEach
  void end() {
    process.kill(Signal.KILL);
  }

  private QemuVm vm() {
    VmSite site = new VmSite("forkd-test", temp, temp.resolve("vmm"), Optional.empty());
    return new QemuVm(
        site, process, Qmp.connect(site.qmpSocket(), LONG), "fd:9", OptionalInt.empty());
  }

  private FakeMonitor monitor(FakeMonitor.Script script) throws Exception {
    return new FakeMonitor(
        temp.resolve("qmp.sock"),
        qemu -> {
          qemu.welcome();
          script.run(qemu);
        });
  }

  @Test
  void pausesResumesAndAsksWhetherItRuns() throws Exception {
    try (FakeMonitor monitor =
            monitor(
                qemu -> {
                  qemu.hear("stop");
                  qemu.say(FakeMonitor.DONE);
                  qemu.hear("query-status");
                  qemu.say("{\"return\": {\"running\": false, \"status\": \"paused\"}}");
                  qemu.hear("cont");
                  qemu.say(FakeMonitor.DONE);
                  qemu.hear("query-status");
                  qemu.say("{\"return\": {\"running\": true, \"status\": \"running\"}}");
                });
        QemuVm vm = vm()) {
      vm.pause();
      assertThat(vm.running()).isFalse();
      vm.resume();
      assertThat(vm.running()).isTrue();
      monitor.assertPlayed();
    }
  }

  @Test
  void aCopyThatADaemonLeftBehindIsEndedWhateverStateItIsIn() throws Exception {
    try (FakeMonitor monitor =
            monitor(
                qemu -> {
                  qemu.hear("query-migrate");
                  qemu.say("{\"return\": {\"status\": \"pre-switchover\"}}");
                  qemu.hear("migrate_cancel");
                  qemu.say(FakeMonitor.DONE);
                  for (String status : List.of("cancelling", "cancelled")) {
                    qemu.hear("query-migrate");
                    qemu.say("{\"return\": {\"status\": \"%s\"}}".formatted(status));
                  }
                  for (String state : List.of("finish-migrate", "running")) {
                    qemu.hear("query-status");
                    qemu.say("{\"return\": {\"status\": \"%s\"}}".formatted(state));
                  }
                });
        QemuVm vm = vm()) {
      vm.endStream();
      monitor.assertPlayed();
    }
  }

  @Test
  void savesItsDeviceStateIntoMemoryWithoutLettingGoOfItsDisks() throws Exception {
    CompletableFuture<String> sent = new CompletableFuture<>();
    try (FakeMonitor _ =
            monitor(
                qemu -> {
                  sent.complete(qemu.hear());
                  qemu.say(FakeMonitor.DONE);
                });
        QemuVm vm = vm()) {
      vm.saveDeviceState();
      assertThat(sent.join())
          .contains("\"xen-save-devices-state\"")
          .contains("\"filename\":\"/proc/self/fd/10\"")
          .contains("\"live\":false");
    }
  }

  @Test
  void loadingWaitsUntilTheDeviceStateIsThere() throws Exception {
    try (FakeMonitor monitor =
            monitor(
                qemu -> {
                  assertThat(qemu.hear()).contains("migrate-incoming").contains("\"uri\":\"fd:9\"");
                  qemu.say(FakeMonitor.DONE);
                  for (String status : List.of("", "setup", "active", "completed")) {
                    qemu.hear("query-migrate");
                    qemu.say(
                        status.isEmpty()
                            ? FakeMonitor.DONE
                            : "{\"return\": {\"status\": \"%s\"}}".formatted(status));
                  }
                });
        QemuVm vm = vm()) {
      vm.loadDeviceState();
      monitor.assertPlayed();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"failed", "cancelled"})
  void aDeviceStateQemuCannotLoadIsAFailureWithQemusWords(String status) throws Exception {
    Files.writeString(temp.resolve("vmm.log"), "qemu: error while loading state\n");
    try (FakeMonitor _ =
            monitor(
                qemu -> {
                  qemu.hear("migrate-incoming");
                  qemu.say(FakeMonitor.DONE);
                  qemu.hear("query-migrate");
                  qemu.say("{\"return\": {\"status\": \"%s\"}}".formatted(status));
                });
        QemuVm vm = vm()) {
      assertThatThrownBy(vm::loadDeviceState)
          .isInstanceOfSatisfying(
              ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED))
          .hasMessageContaining("QEMU said: qemu: error while loading state");
    }
  }

  @Test
  void theConsoleOfAQemuThatIsGoneIsEmpty() throws Exception {
    try (FakeMonitor _ =
            monitor(
                qemu -> {
                  qemu.hear("ringbuf-read");
                  qemu.say("{\"return\": \"[ 0.1] Kernel panic\\n\"}");
                  qemu.hear("ringbuf-read");
                  qemu.hangUp();
                });
        QemuVm vm = vm()) {
      assertThat(vm.consoleTail()).isEqualTo("[ 0.1] Kernel panic\n");
      assertThat(vm.consoleTail()).isEmpty();
    }
  }

  @Test
  void killingWaitsUntilTheProcessIsGoneAndHangsUp() throws Exception {
    try (FakeMonitor monitor = monitor(qemu -> assertThat(qemu.heardHangUp()).isTrue())) {
      QemuVm vm = vm();
      vm.kill(LONG);
      assertThat(process.alive()).isFalse();
      assertThat(Path.of("/proc", String.valueOf(process.pid()))).doesNotExist();
      monitor.assertPlayed();
      vm.kill(LONG);
    }
  }

  @Test
  void anInterruptedKillStillWaitsAndStaysInterrupted() throws Exception {
    try (FakeMonitor _ = monitor(qemu -> assertThat(qemu.heardHangUp()).isTrue())) {
      QemuVm vm = vm();
      Thread.currentThread().interrupt();
      vm.kill(LONG);
      assertThat(Thread.interrupted()).as("the interrupt is kept for the caller").isTrue();
      assertThat(process.alive()).isFalse();
    }
  }

  @Test
  void lettingGoLeavesTheProcessRunning() throws Exception {
    try (FakeMonitor monitor = monitor(qemu -> assertThat(qemu.heardHangUp()).isTrue())) {
      vm().close();
      monitor.assertPlayed();
      assertThat(process.alive()).isTrue();
    }
  }
}

package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Child;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a process whose guest stopped itself, and what is known of why. */
@Timeout(30)
class GuestStopTest {
  private static final String BY_GUEST =
      "{\"event\": \"SHUTDOWN\", \"data\": {\"guest\": true, \"reason\": \"guest-reset\"}}";
  private static final String BY_HOST =
      "{\"event\": \"SHUTDOWN\", \"data\": {\"guest\": false, \"reason\": \"host-signal\"}}";

  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path temp;
  private final Child process = Spawn.of(Path.of("/bin/sleep"), List.of("1000")).start();

  @AfterEach
  void end() {
    process.kill(Signal.KILL);
  }

  private VmSite site() {
    return new VmSite("forkd-test", temp, temp.resolve("vmm"), Optional.empty());
  }

  private QemuVm vm() {
    return new QemuVm(
        site(), process, Qmp.connect(site().qmpSocket(), LONG), "fd:9", OptionalInt.empty());
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
  void aGuestThatStopsIsAskedWhyAndTakesItsProcessAlong() throws Exception {
    try (FakeMonitor monitor =
            monitor(
                qemu -> {
                  qemu.hear("cont");
                  qemu.say(FakeMonitor.DONE);
                  qemu.say(BY_GUEST);
                  qemu.hear("ringbuf-read");
                  qemu.say(
                      "{\"return\": \"x\\r"
                          + "\\n"
                          + "Kernel panic - not syncing: sysrq triggered crash\\r"
                          + "\\n"
                          + "\"}");
                });
        QemuVm vm = vm().endWithGuest()) {
      vm.resume();
      assertThat(process.waitFor(LONG)).isPresent();
      monitor.assertPlayed();
      assertThat(vm.guestStop())
          .hasValue(
              new GuestStop(
                  Optional.of("sysrq triggered crash"),
                  List.of("x", "Kernel panic - not syncing: sysrq triggered crash")));
    }
  }

  @Test
  void aGuestThatStoppedWhileNobodyListenedIsAskedWhenItIsFound() throws Exception {
    try (FakeMonitor _ =
            monitor(
                qemu -> {
                  qemu.hear("query-status");
                  qemu.say("{\"return\": {\"running\": false, \"status\": \"shutdown\"}}");
                  qemu.hear("ringbuf-read");
                  qemu.say("{\"return\": \"reboot: Power down\\n\"}");
                });
        QemuVm vm = vm().endWithGuest()) {
      vm.endIfGuestStopped();
      assertThat(process.waitFor(LONG)).isPresent();
      assertThat(vm.guestStop())
          .hasValue(new GuestStop(Optional.empty(), List.of("reboot: Power down")));
    }
  }

  @Test
  void aGuestThatIsOnlyPausedIsLeftAlone() throws Exception {
    try (FakeMonitor _ =
            monitor(
                qemu -> {
                  qemu.hear("query-status");
                  qemu.say("{\"return\": {\"running\": false, \"status\": \"paused\"}}");
                });
        QemuVm vm = vm().endWithGuest()) {
      vm.endIfGuestStopped();
      assertThat(vm.guestStop()).isEmpty();
      assertThat(process.alive()).isTrue();
    }
  }

  @Test
  void aQemuThatIsToldToEndSaysNothingAboutItsGuest() throws Exception {
    try (FakeMonitor _ =
            monitor(
                qemu -> {
                  qemu.hear("cont");
                  qemu.say(BY_HOST);
                  qemu.say(FakeMonitor.DONE);
                  qemu.hear("stop");
                  qemu.say(FakeMonitor.DONE);
                });
        QemuVm vm = vm().endWithGuest()) {
      vm.resume();
      vm.pause();
      assertThat(vm.guestStop()).isEmpty();
      assertThat(process.alive()).isTrue();
    }
  }

  @Test
  void aStoppedGuestWhoseConsoleCannotBeReadEndsAllTheSame() throws Exception {
    try (FakeMonitor _ =
            monitor(
                qemu -> {
                  qemu.hear("cont");
                  qemu.say(FakeMonitor.DONE);
                  qemu.say(BY_GUEST);
                  qemu.hear("ringbuf-read");
                  qemu.hangUp();
                });
        QemuVm vm = vm().endWithGuest()) {
      vm.resume();
      assertThat(process.waitFor(LONG)).isPresent();
      assertThat(vm.guestStop()).hasValue(new GuestStop(Optional.empty(), List.of()));
    }
  }

  @Test
  void theReasonIsTheLastPanicsAndNotItsEndMark() {
    GuestStop stop =
        GuestStop.of(
            """
            [    1.0] sysrq: Trigger a crash
            [    1.1] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009
            [    1.2] CPU: 0 PID: 1
            [    1.3] ---[ end Kernel panic - not syncing: Attempted to kill init! ]---
            """);
    assertThat(stop.panic()).hasValue("Attempted to kill init! exitcode=0x00000009");
    assertThat(stop.console()).hasSize(4);
  }

  @Test
  void aPanicIsFoundHoweverLongItsTraceIs() {
    GuestStop stop =
        GuestStop.of(
            "before\n".repeat(20)
                + "Kernel panic - not syncing: Fatal exception\n"
                + "trace\n".repeat(200));
    assertThat(stop.panic()).hasValue("Fatal exception");
    assertThat(stop.console()).hasSize(35).contains("Kernel panic - not syncing: Fatal exception");
  }

  @Test
  void whatTheGuestWroteIsCutAndCleaned() {
    GuestStop stop =
        GuestStop.of("a\n".repeat(100) + "\u001b[31mred\u0000" + "\n\n" + "z".repeat(5000));
    assertThat(stop.console()).hasSize(30);
    assertThat(stop.console().get(28)).isEqualTo("[31mred");
    assertThat(stop.console().getLast()).hasSize(300);
  }

  @Test
  void aLogThatGrewTooLongIsEmptiedAndGoesOnAtItsBeginning() throws Exception {
    Child writer =
        Spawn.of(
                Path.of("/bin/sh"),
                List.of("-c", "head -c 300000 /dev/zero | tr '\\0' x; kill -STOP $$; echo more"))
            .log(site().log())
            .start();
    while (Files.size(site().log()) < 300_000) {
      Thread.sleep(2);
    }
    VmmLog.bound(site());
    assertThat(site().log()).isEmptyFile();
    while (!writer.exit().isDone()) {
      writer.kill(Signal.CONT);
      Thread.sleep(2);
    }
    VmmLog.bound(site());
    assertThat(site().log()).content().isEqualTo("more\n");
    assertThat(VmmLog.lastLines(site())).containsExactly("more");
    Files.delete(site().log());
    VmmLog.bound(site());
    assertThat(VmmLog.lastLines(site())).isEmpty();
  }
}

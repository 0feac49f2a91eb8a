package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.Adopted;
import io.forkd.linux.ProcStat;
import io.forkd.linux.Signal;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sandbox that ends says why, whatever ended it and whether or not a daemon saw it. */
@Tag("vm")
class EndReasonVmTest {
  private static final String PANIC = "open('/proc/sysrq-trigger', 'w').write('c')";

  private final VmLab lab = VmLab.shared();

  @AfterEach
  void endSandboxes() {
    lab.killAll();
  }

  private Sandbox fork(Limits limits, Lifetime lifetime) {
    ChildSpec child =
        new ChildSpec(
            limits, lifetime, Optional.empty(), Map.of("team", "blue"), Optional.of("alice"));
    return lab.forkd().fork(new ForkSpec(lab.python(), 1, false, child)).sandboxes().getFirst();
  }

  private EndReason awaitEnd(SandboxId id) {
    lab.await(() -> lab.forkd().ended().stream().anyMatch(ended -> ended.id().equals(id)));
    lab.await(() -> !Files.exists(lab.workplace(id)));
    EndedSandbox ended =
        lab.forkd().ended().stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
    assertThatThrownBy(() -> lab.forkd().sandbox(id))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .hasMessageContaining(ended.reason().text());
    return ended.reason();
  }

  private static void signal(Sandbox sandbox, Signal signal) {
    ProcStat.of(sandbox.pid())
        .flatMap(stat -> Adopted.open(sandbox.pid(), stat.startTicks()))
        .ifPresent(process -> process.kill(signal));
  }

  /** What it does ends the guest, so that no answer comes. */
  private void lastWish(Sandbox sandbox, String code) {
    assertThatThrownBy(() -> lab.forkd().eval(sandbox.id(), code, VmLab.WAIT))
        .isInstanceOf(ForkdException.class);
  }

  @Test
  void aVmmThatIsKilledIsACrashWithTheSignal() {
    Sandbox child = lab.fork(1).getFirst();
    signal(child, Signal.KILL);
    EndReason reason = awaitEnd(child.id());
    assertThat(reason.kind()).isEqualTo(EndReason.Kind.VMM_CRASH);
    assertThat(reason.text()).isEqualTo("its VMM process %d ended: signal KILL", child.pid());
  }

  @Test
  void aVmmThatSaysSomethingBeforeItEndsIsQuoted() {
    Sandbox child = lab.fork(1).getFirst();
    signal(child, Signal.TERM);
    EndReason reason = awaitEnd(child.id());
    assertThat(reason.kind()).isEqualTo(EndReason.Kind.VMM_CRASH);
    assertThat(reason.log())
        .anySatisfy(line -> assertThat(line).contains("terminating on signal 15"));
  }

  @Test
  void aHogThatGoesBeyondItsMemoryLimitIsOutOfMemory() {
    Sandbox child = fork(Limits.ofMemory(Optional.of(96)), Lifetime.UNLIMITED);
    lastWish(child, "hog = numpy.random.bytes(200 << 20); len(hog)");
    EndReason reason = awaitEnd(child.id());
    assertThat(reason.kind()).isEqualTo(EndReason.Kind.OUT_OF_MEMORY);
    assertThat(reason.text()).contains("its memory limit of 96 MiB");
  }

  @Test
  void aGuestWhoseKernelPanicsSaysSoWithItsConsole() {
    Sandbox child = lab.fork(1).getFirst();
    lastWish(child, PANIC);
    assertPanic(awaitEnd(child.id()));
  }

  private static void assertPanic(EndReason reason) {
    assertThat(reason.kind()).as(reason.text()).isEqualTo(EndReason.Kind.GUEST_PANIC);
    assertThat(reason.text()).isEqualTo("its guest's kernel panicked: sysrq triggered crash");
    assertThat(reason.log()).anySatisfy(line -> assertThat(line).contains("Kernel panic"));
  }

  @Test
  void aGuestThatPanicsWhileNoDaemonRunsSaysSoToTheNext() {
    List<Sandbox> children = lab.fork(2);
    lab.eval(
        children.get(0),
        "import threading; threading.Timer(2, lambda: %s).start()".formatted(PANIC));
    lab.whileStopped(() -> sleep(Duration.ofSeconds(8)));
    assertPanic(awaitEnd(children.get(0).id()));
    assertThat(lab.eval(children.get(1), "1 + 1")).isEqualTo("2");
  }

  @Test
  void aGuestThatIsPoweredOffOrRestartedFromInsideWasShutDown() {
    for (String how : List.of("0x4321fedc", "0x01234567")) {
      Sandbox child = lab.fork(1).getFirst();
      lastWish(child, "import ctypes; ctypes.CDLL(None).reboot(%s)".formatted(how));
      assertThat(awaitEnd(child.id()).kind()).as(how).isEqualTo(EndReason.Kind.GUEST_SHUTDOWN);
    }
  }

  @Test
  void aSandboxWhoseTimeIsOverHasExpiredAndOneNobodyUsesWasIdle() {
    Optional<Duration> second = Optional.of(Duration.ofSeconds(1));
    Sandbox mortal = fork(Limits.NONE, Lifetime.of(second));
    Sandbox lonely = fork(Limits.NONE, new Lifetime(Optional.empty(), second, Lifetime.AtEnd.KILL));
    assertThat(awaitEnd(mortal.id()).kind()).isEqualTo(EndReason.Kind.EXPIRED);
    assertThat(awaitEnd(lonely.id()).kind()).isEqualTo(EndReason.Kind.IDLE);
  }

  @Test
  void endsAreRememberedByTheNextDaemonWithAllThatIsKnown() {
    Sandbox child = fork(Limits.NONE, Lifetime.UNLIMITED);
    lab.forkd().kill(child.id());
    EndedSandbox before = lab.forkd().ended().getFirst();
    assertThat(before.id()).isEqualTo(child.id());
    assertThat(before.snapshotTag()).isEqualTo(lab.python());
    assertThat(before.createdAt()).isEqualTo(child.createdAt());
    assertThat(before.labels()).isEqualTo(Map.of("team", "blue"));
    assertThat(before.owner()).hasValue("alice");

    lab.reopenAfterCrash();

    assertThat(lab.forkd().ended().getFirst()).isEqualTo(before);
    assertThat(awaitEnd(child.id()))
        .isEqualTo(new EndReason(EndReason.Kind.KILLED, "it was killed by request"));
  }

  @Test
  void aVmmThatDiesWhileNoDaemonRunsIsNotedByTheNext() {
    List<Sandbox> children = lab.fork(2);
    lab.whileStopped(
        () -> {
          signal(children.get(0), Signal.KILL);
          lab.await(() -> ProcStat.of(children.get(0).pid()).filter(ProcStat::running).isEmpty());
        });
    assertThat(awaitEnd(children.get(0).id()).kind()).isEqualTo(EndReason.Kind.VMM_CRASH);
    assertThat(lab.eval(children.get(1), "1 + 1")).isEqualTo("2");
    assertThat(lab.forkd().sandboxes())
        .extracting(Sandbox::id)
        .containsExactly(children.get(1).id());
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

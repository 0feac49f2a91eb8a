package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostProcessTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static Child sleeping() {
    return Spawn.of(Path.of("/bin/sleep"), List.of("300")).start();
  }

  @Test
  void aRunningChildIsAliveUntilItIsKilled() throws Exception {
    Child child = sleeping();
    assertThat(child.alive()).isTrue();
    assertThat(child.waitFor(Duration.ZERO)).isEmpty();
    assertThat(child.waitFor(Duration.ofMillis(5))).isEmpty();
    assertThat(child.kill(Signal.KILL)).isTrue();
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Killed(9));
    assertThat(child.alive()).isFalse();
    assertThat(child.kill(Signal.KILL)).isFalse();
    assertThat(child.waitFor(Duration.ZERO)).contains(new ExitStatus.Killed(9));
  }

  @Test
  void aStoppedChildIsAlive() throws Exception {
    Child child = sleeping();
    child.kill(Signal.STOP);
    while (ProcStat.of(child.pid()).orElseThrow().state() != 'T') {
      Thread.onSpinWait();
    }
    assertThat(child.alive()).isTrue();
    child.kill(Signal.KILL);
    assertThat(child.waitFor(LONG)).isPresent();
  }

  @Test
  void waitingCanBeInterrupted() throws Exception {
    Child child = sleeping();
    Thread waiter =
        Thread.ofVirtual()
            .start(
                () ->
                    assertThatThrownBy(() -> child.waitFor(LONG))
                        .isInstanceOf(InterruptedException.class));
    waiter.interrupt();
    waiter.join();
    child.kill(Signal.KILL);
    assertThat(child.waitFor(LONG)).isPresent();
  }

  @Test
  void anAdoptedProcessIsKilledAndWaitedForLikeAChild() throws Exception {
    Child child = sleeping();
    try (Adopted adopted = Adopted.open(child.pid(), child.startTicks()).orElseThrow()) {
      assertThat(adopted.alive()).isTrue();
      assertThat(adopted.kill(Signal.TERM)).isTrue();
      assertThat(adopted.waitFor(LONG)).contains(new ExitStatus.Unknown());
      assertThat(adopted.alive()).isFalse();
      assertThat(adopted.kill(Signal.TERM)).isFalse();
    }
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Killed(15));
  }

  @Test
  void adoptionRefusesAnotherStartTimeAndTheDead() throws Exception {
    Child child = sleeping();
    assertThat(Adopted.open(child.pid(), child.startTicks() + 1)).isEmpty();
    child.kill(Signal.KILL);
    child.waitFor(LONG);
    assertThat(Adopted.open(child.pid(), child.startTicks())).isEmpty();
    assertThat(Adopted.open(Integer.MAX_VALUE, 1)).isEmpty();
    assertThat(Adopted.open(0, 1)).isEmpty();
  }

  @Test
  void lettingGoOfAnAdoptedProcessClosesTheDescriptorAndLeavesItRunning() throws Exception {
    Child child = sleeping();
    var before = Descriptors.open();
    Adopted adopted = Adopted.open(child.pid(), child.startTicks()).orElseThrow();
    adopted.close();
    adopted.close();
    assertThat(Descriptors.open()).isEqualTo(before);
    assertThat(child.alive()).isTrue();
    child.kill(Signal.KILL);
    assertThat(child.waitFor(LONG)).isPresent();
  }

  @Test
  void aDescriptorOfAnotherProcessCanBeFetched() throws Exception {
    Child child;
    try (Memfd memfd = Memfd.create("shared", 100)) {
      child = Spawn.of(Path.of("/bin/sleep"), List.of("300")).descriptor(memfd.fd(), 9).start();
      FileIo.pwrite(memfd.fd(), ByteBuffer.wrap(new byte[] {42}), 50);
    }
    try (Fd fetched = child.descriptor(9)) {
      assertThat(FileIo.read(fetched, 50, 1)).containsExactly(42);
    }
    child.kill(Signal.KILL);
    assertThat(child.waitFor(LONG)).isPresent();
  }
}

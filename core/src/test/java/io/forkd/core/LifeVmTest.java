package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Adopted;
import io.forkd.linux.ProcStat;
import io.forkd.linux.Signal;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sandboxes end without a trace, die without harm to others, and outlive the daemon. */
@Tag("vm")
class LifeVmTest {
  private final VmLab lab = VmLab.shared();

  @AfterEach
  void endSandboxes() {
    lab.killAll();
  }

  @Test
  void aKilledSandboxIsGoneWithoutATrace() {
    lab.fork(1);
    lab.killAll();
    HostTraces before = HostTraces.of(lab);
    List<Sandbox> children = lab.fork(3);
    assertThat(HostTraces.of(lab).vmmProcesses()).hasSize(3);

    lab.killAll();

    assertThat(HostTraces.of(lab)).isEqualTo(before);
    assertThatThrownBy(() -> lab.forkd().ping(children.getFirst().id()))
        .hasMessageContaining("is gone: it was killed by request");
  }

  @Test
  void fiveHundredForksAndKillsLeaveNothing() {
    lab.fork(2);
    lab.killAll();
    HostTraces before = HostTraces.of(lab);
    long heapBefore = usedHeap();

    for (int i = 0; i < 125; i++) {
      lab.fork(4);
      lab.killAll();
    }

    assertThat(HostTraces.of(lab)).isEqualTo(before);
    assertThat(usedHeap() - heapBefore).isLessThan(16 << 20);
  }

  @Test
  void aVmmThatDiesTakesOnlyItsSandboxAlong() {
    List<Sandbox> children = lab.fork(2);
    kill(children.get(0).pid());

    await(() -> lab.forkd().sandboxes().size() == 1);

    assertThatThrownBy(() -> lab.forkd().eval(children.get(0).id(), "1", VmLab.WAIT))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .hasMessageContaining("its VMM process")
        .hasMessageContaining("signal KILL");
    await(() -> !Files.exists(lab.workplace(children.get(0).id())));
    assertThat(lab.eval(children.get(1), "1 + 1")).isEqualTo("2");
  }

  @Test
  void aCallUnderWayEndsWhenTheVmmDies() {
    Sandbox child = lab.fork(1).getFirst();
    var call =
        CompletableFuture.supplyAsync(
            () ->
                lab.forkd()
                    .eval(child.id(), "__import__('time').sleep(600)", Duration.ofMinutes(20)),
            task -> Thread.startVirtualThread(task));

    kill(child.pid());

    assertThat(call).failsWithin(Duration.ofSeconds(30));
  }

  @Test
  void aVmmKilledMidForkFailsThatChildAlone() throws Exception {
    lab.fork(1); // loads the template, which stays
    lab.killAll();
    HostTraces before = HostTraces.of(lab);
    AtomicBoolean killed = new AtomicBoolean();
    Thread killer =
        Thread.startVirtualThread(
            () -> {
              while (!killed.get()) {
                StrayProcesses.of(lab.locations.run().resolve("sb")).stream()
                    .findFirst()
                    .ifPresent(
                        vmm -> {
                          kill(vmm.pid());
                          killed.set(true);
                        });
              }
            });

    ForkResult result = lab.forkd().fork(new ForkSpec(lab.python(), 4, Optional.empty()));
    killer.join();

    assertThat(result.failures()).hasSize(1);
    assertThat(result.sandboxes()).hasSize(3);
    result.sandboxes().forEach(child -> assertThat(lab.eval(child, "1 + 1")).isEqualTo("2"));
    lab.killAll();
    assertThat(HostTraces.of(lab)).isEqualTo(before);
  }

  @Test
  void sandboxesOutliveTheDaemon() {
    List<Sandbox> children = lab.fork(2);
    lab.eval(children.get(0), "kept = 'yes'");

    Forkd second = lab.reopen();

    assertThat(second.sandboxes()).containsExactlyElementsOf(children);
    assertThat(lab.eval(children.get(0), "kept")).isEqualTo("'yes'");
  }

  @Test
  void aCrashedDaemonsSandboxesAreFoundAndItsParkedOnesCleared() {
    Sandbox child = lab.fork(1).getFirst();
    lab.eval(child, "kept = 'yes'");
    lab.forkd().setPool(lab.python(), 2);
    await(() -> lab.forkd().pools().getFirst().ready() == 2);
    List<Long> parked =
        StrayProcesses.of(lab.locations.run().resolve("sb")).stream()
            .map(StrayProcesses.Stray::pid)
            .filter(pid -> pid != child.pid())
            .toList();

    lab.reopenAfterCrash();

    assertThat(lab.eval(child, "kept")).isEqualTo("'yes'");
    await(
        () ->
            parked.stream()
                .noneMatch(pid -> ProcStat.of(pid).filter(ProcStat::running).isPresent()));
    lab.forkd().setPool(lab.python(), 0);
  }

  @Test
  void aSandboxThatDiedWhileNoDaemonRanIsCleared() {
    List<Sandbox> children = lab.fork(2);
    lab.reopenAfterCrash(); // its own connections are gone now, as a dead daemon's would be
    kill(children.get(0).pid());
    lab.reopen();

    await(() -> lab.forkd().sandboxes().size() == 1);
    assertThat(Files.exists(lab.workplace(children.get(0).id()))).isFalse();
  }

  private static void kill(long pid) {
    ProcStat.of(pid)
        .flatMap(stat -> Adopted.open(pid, stat.startTicks()))
        .ifPresent(process -> process.kill(Signal.KILL));
  }

  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("gave up waiting").isLessThan(deadline);
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}

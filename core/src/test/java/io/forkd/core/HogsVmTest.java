package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Disks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sandboxes that want everything get their limits' worth, and the others do not notice. */
@Tag("vm")
class HogsVmTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Room for a VMM that emulates, with its cache of translated code. */
  private static final int ENOUGH_MIB = 400;

  private final VmLab lab = VmLab.shared();

  @AfterEach
  void endSandboxes() {
    lab.killAll();
  }

  private Sandbox limited(Limits limits) {
    ForkSpec spec =
        new ForkSpec(
            lab.python(),
            1,
            false,
            new ChildSpec(
                limits,
                Lifetime.UNLIMITED,
                Optional.empty(),
                java.util.Map.of(),
                Optional.empty()));
    return lab.forkd().fork(spec).sandboxes().getFirst();
  }

  private static Limits limits(int memoryMib, double cpus) {
    return new Limits(Optional.of(memoryMib), Optional.of(cpus), Optional.of(64), Optional.empty());
  }

  /** With bandwidth where the data folder is on a disk; elsewhere that limit is refused. */
  private Limits withBandwidth(Limits limits) {
    boolean onDisk = !Disks.behind(lab.locations.data()).devices().isEmpty();
    return new Limits(
        limits.memoryMib(),
        limits.cpus(),
        limits.pids(),
        onDisk ? Optional.of(8L << 20) : Optional.empty());
  }

  private SandboxUse use(Sandbox sandbox) {
    return lab.forkd().usage().stream()
        .filter(use -> use.id().equals(sandbox.id()))
        .findFirst()
        .orElseThrow();
  }

  /** Runs a script that never ends by itself. */
  private void hog(Sandbox sandbox, String script) {
    Thread.startVirtualThread(
        () -> {
          try {
            lab.forkd().exec(sandbox.id(), List.of("/bin/sh", "-c", script), LONG);
          } catch (ForkdException e) {
            // That is how it ends: its sandbox was killed.
          }
        });
  }

  @Test
  void aForkBombAMemoryHogAndADiskHogLeaveAnotherSandboxItsAnswers() {
    lab.fork(1);
    lab.killAll();
    HostTraces before = HostTraces.of(lab);
    Sandbox other = lab.fork(1).getFirst();
    Sandbox bomb = limited(limits(ENOUGH_MIB, 0.5));
    Sandbox greedy = limited(limits(128, 0.5));
    Sandbox reader = limited(withBandwidth(limits(ENOUGH_MIB, 0.5)));
    hog(bomb, "f() { f | f & sleep 0.1; }; while :; do f; done");
    hog(greedy, "python3 -c 'x = [bytearray(1 << 20) for _ in range(480)]; input()'");
    hog(
        reader,
        "while :; do dd if=/dev/zero of=/tmp/hog bs=1M count=64; cat /usr/lib/*/* > /dev/null;"
            + " done");

    for (int i = 0; i < 200; i++) {
      assertThat(lab.eval(other, "sum(range(%d))".formatted(i))).isEqualTo("" + i * (i - 1) / 2);
    }
    lab.await(() -> isGone(greedy));

    assertThat(use(other).oomKills()).contains(0L);
    lab.killAll();
    lab.await(() -> HostTraces.of(lab).equals(before));
  }

  private boolean isGone(Sandbox sandbox) {
    return lab.forkd().sandboxes().stream().noneMatch(it -> it.id().equals(sandbox.id()));
  }

  @Test
  void aHogGetsNoMoreProcessorTimeThanItsShare() throws Exception {
    Sandbox hog = limited(limits(ENOUGH_MIB, 0.2));
    hog(hog, "while :; do :; done");
    Duration from = use(hog).cpu();
    long began = System.nanoTime();
    lab.await(() -> use(hog).cpu().minus(from).compareTo(Duration.ofSeconds(1)) > 0);
    double share = use(hog).cpu().minus(from).toNanos() / (double) (System.nanoTime() - began);
    // Counted by the kernel against its own clock; without the limit it would be all of a
    // processor that nobody else wants.
    assertThat(share).isLessThan(0.4);

    lab.forkd()
        .update(
            hog.id(),
            new SandboxChange(
                Optional.of(limits(ENOUGH_MIB, 1)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
    assertThat(lab.forkd().sandbox(hog.id()).given().limits().cpus()).contains(1.0);
  }

  @Test
  void aSandboxIsNotLimitedToLessMemoryThanItHolds() {
    Sandbox child = lab.fork(1).getFirst();
    lab.eval(child, "kept = bytearray(b'x') * (100 << 20)");
    assertThat(use(child).privateBytes()).isGreaterThan(100 << 20);

    assertThatThrownBy(() -> lab.forkd().update(child.id(), memory(32)))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));

    assertThat(lab.forkd().update(child.id(), memory(1000)).memoryLimitMib()).contains(1000);
    assertThat(lab.eval(child, "len(kept)")).isEqualTo("" + (100 << 20));
  }

  private static SandboxChange memory(int mib) {
    return new SandboxChange(
        Optional.of(Limits.ofMemory(Optional.of(mib))),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void whatASandboxUsesGrowsWithWhatItDoes() {
    Sandbox child = lab.fork(1).getFirst();
    SandboxUse before = use(child);
    assertThat(before.sharedBytes()).isPositive();
    assertThat(before.threads()).isPositive();
    lab.eval(child, "kept = bytearray(b'x') * (64 << 20)");
    SandboxUse after = use(child);
    assertThat(after.privateBytes()).isGreaterThan(before.privateBytes() + (60 << 20));
    assertThat(after.cpu()).isGreaterThan(before.cpu());
    assertThat(lab.forkd().capacity().budgets())
        .contains(new Capacity.Budget("sandboxes", 1, 4096));
  }
}

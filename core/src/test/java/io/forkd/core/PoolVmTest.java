package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.linux.Adopted;
import io.forkd.linux.ProcStat;
import io.forkd.linux.Signal;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pools of parked children. */
@Tag("vm")
class PoolVmTest {
  private final VmLab lab = VmLab.shared();

  @AfterEach
  void emptyPools() {
    lab.forkd().setPool(lab.python(), 0);
    lab.killAll();
  }

  @Test
  void aForkTakesFromThePoolAndThePoolFillsUpAgain() {
    fill(2);

    List<Sandbox> children = lab.fork(3);

    assertThat(children.stream().filter(Sandbox::pooled)).hasSize(2);
    assertThat(children.stream().map(child -> lab.eval(child, "__import__('os').urandom(8).hex()")))
        .doesNotHaveDuplicates();
    assertThat(children.stream().map(child -> lab.sh(child, "cat /etc/hostname")).toList())
        .isEqualTo(children.stream().map(child -> child.id().value()).toList());
    LifeVmTest.await(() -> status().ready() == 2);
  }

  @Test
  void whatAPooledChildRehearsedDoesNotShow() {
    fill(1);

    Sandbox child = lab.fork(1).getFirst();

    assertThat(child.pooled()).isTrue();
    assertThat(lab.eval(child, "[k for k in globals() if not k.startswith('_')]"))
        .isEqualTo(
            lab.eval(lab.fork(1).getFirst(), "[k for k in globals() if not k.startswith('_')]"));
    double guest = Double.parseDouble(lab.eval(child, "__import__('time').time()"));
    assertThat(Math.abs(guest - System.currentTimeMillis() / 1000.0)).isLessThan(1.0);
  }

  @Test
  void aParkedChildThatDiesIsReplaced() {
    fill(2);
    StrayProcesses.Stray victim = StrayProcesses.of(lab.locations.run().resolve("sb")).getFirst();

    Adopted.open(victim.pid(), victim.startTicks()).orElseThrow().kill(Signal.KILL);

    LifeVmTest.await(() -> ProcStat.of(victim.pid()).filter(ProcStat::running).isEmpty());
    LifeVmTest.await(() -> status().ready() == 2);
    assertThat(lab.fork(2)).hasSize(2);
  }

  @Test
  void anEndedPoolLeavesNoTrace() {
    // The snapshot's memory stays loaded once it was used, and its descriptors with it.
    lab.fork(1);
    lab.killAll();
    HostTraces before = HostTraces.of(lab);
    fill(2);

    lab.forkd().setPool(lab.python(), 0);

    assertThat(lab.forkd().pools()).isEmpty();
    LifeVmTest.await(() -> HostTraces.of(lab).equals(before));
  }

  @Test
  void anUnknownTagHasNoPool() {
    assertThatThrownBy(() -> lab.forkd().setPool(io.forkd.base.Tag.of("nothing"), 1))
        .hasMessageContaining("no snapshot has the tag nothing");
  }

  private void fill(int warm) {
    lab.forkd().setPool(lab.python(), warm);
    LifeVmTest.await(() -> status().ready() == warm);
  }

  private PoolStatus status() {
    return lab.forkd().pools().getFirst();
  }
}

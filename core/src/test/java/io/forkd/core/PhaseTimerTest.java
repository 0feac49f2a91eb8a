package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class PhaseTimerTest {
  @Test
  void phasesComeInTheirOrderWithTheTotalLast() {
    PhaseTimer timer = new PhaseTimer();
    timer.done("queue");
    timer.done("spawn");
    timer.done("restore");
    assertThat(timer.millis()).containsOnlyKeys("queue", "spawn", "restore", "total");
    assertThat(timer.millis().keySet()).containsExactly("queue", "spawn", "restore", "total");
  }

  @Test
  void thePhasesAddUpToTheTotal() throws InterruptedException {
    PhaseTimer timer = new PhaseTimer();
    for (String phase : new String[] {"a", "b", "a", "c"}) {
      Thread.sleep(3);
      timer.done(phase);
    }
    Map<String, Double> millis = timer.millis();
    double sum =
        millis.getOrDefault("a", -1.0)
            + millis.getOrDefault("b", -1.0)
            + millis.getOrDefault("c", -1.0);
    assertThat(millis.get("total")).isPositive().isCloseTo(sum, Offset.offset(0.05));
    assertThat(millis).hasSize(4);
  }

  @Test
  void aPhaseThatComesTwiceCountsBothTimes() throws InterruptedException {
    PhaseTimer timer = new PhaseTimer();
    Thread.sleep(5);
    timer.done("measure");
    double once = timer.millis().getOrDefault("measure", -1.0);
    Thread.sleep(5);
    timer.done("measure");
    assertThat(timer.millis().getOrDefault("measure", -1.0)).isGreaterThan(once);
  }

  @Test
  void withoutPhasesThereIsOnlyATotalOfNothing() {
    assertThat(new PhaseTimer().millis()).isEqualTo(Map.of("total", 0.0));
  }
}

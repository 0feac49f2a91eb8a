package io.forkd.bench;

import io.forkd.client.DaemonStatus;
import io.forkd.client.ForkdClient;
import java.util.ArrayList;
import java.util.List;

/** Forks and kills children one at a time and looks whether anything of them stays. */
final class ChurnBench {
  /** A daemon gives the last things back a moment after it has answered. */
  private static final int SETTLE_SECONDS = 10;

  private static final int WARM_UP = 3;

  private final ForkdClient client;
  private final Narrator narrator;

  ChurnBench(ForkdClient client, Narrator narrator) {
    this.client = client;
    this.narrator = narrator;
  }

  ChurnReport run(ChurnOptions options) {
    Machine machine = Machine.read(Daemons.snapshot(client, options.tag()));
    DaemonStatus daemon = Daemons.localStatus(client);
    List<Double> forks = new ArrayList<>();
    List<Double> kills = new ArrayList<>();
    try (Undo undo = new Undo(narrator::warn);
        Undo.Mark _ = new PoolRun(client, options.tag(), narrator).resize(0, undo)) {
      narrator.begin("Forking and killing %d children, one at a time".formatted(options.n()));
      for (int i = 0; i < WARM_UP; i++) {
        once(options.tag(), undo, new ArrayList<>(), new ArrayList<>());
      }
      LeakCounters before = LeakCounters.of(daemon);
      for (int i = 0; i < options.n(); i++) {
        once(options.tag(), undo, forks, kills);
        narrator.goesOn("Forked and killed %d of %d".formatted(i + 1, options.n()));
      }
      LeakCounters after = settled(daemon, before);
      return new ChurnReport(machine, options, Samples.of(forks), Samples.of(kills), before, after);
    }
  }

  private void once(String tag, Undo undo, List<Double> forks, List<Double> kills) {
    Stopwatch fork = new Stopwatch();
    Children child = Children.fork(client, tag, 1, undo);
    forks.add(fork.millis());
    Stopwatch kill = new Stopwatch();
    child.close();
    kills.add(kill.millis());
  }

  private static LeakCounters settled(DaemonStatus daemon, LeakCounters before) {
    LeakCounters after = LeakCounters.of(daemon);
    for (int second = 0; second < SETTLE_SECONDS && !after.clean(before); second++) {
      try {
        Thread.sleep(1000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return after;
      }
      after = LeakCounters.of(daemon);
    }
    return after;
  }
}

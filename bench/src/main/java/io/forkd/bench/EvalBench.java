package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.EvalOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks one running child the same question over and over, through REST, and splits every answer's
 * time into what the agent took, by the daemon's own account, and what the daemon and the way to it
 * added.
 */
final class EvalBench {
  private static final int REHEARSALS = 50;

  private final ForkdClient client;
  private final Narrator narrator;

  EvalBench(ForkdClient client, Narrator narrator) {
    this.client = client;
    this.narrator = narrator;
  }

  EvalReport run(EvalOptions options) {
    Machine machine = Machine.read(Daemons.snapshot(client, options.tag()));
    List<Double> rest = new ArrayList<>();
    List<Double> agent = new ArrayList<>();
    List<Double> added = new ArrayList<>();
    try (Undo undo = new Undo(narrator::warn);
        Undo.Mark _ = new PoolRun(client, options.tag(), narrator).resize(0, undo);
        Children forked = Children.fork(client, options.tag(), 1, undo)) {
      SandboxInfo child = forked.all().getFirst();
      for (int i = 0; i < REHEARSALS; i++) {
        Workload.ask(client, child);
      }
      narrator.begin("Asking %s %d times".formatted(child.id(), options.n()));
      for (int i = 0; i < options.n(); i++) {
        long began = System.nanoTime();
        EvalOutcome outcome = Workload.eval(client, child);
        double all = (System.nanoTime() - began) / 1e6;
        double ofAgent = outcome.agentMillis().orElseThrow(EvalBench::untold);
        rest.add(thousandths(all));
        agent.add(ofAgent);
        added.add(thousandths(all - ofAgent));
        narrator.goesOn("Asked %d of %d times".formatted(i + 1, options.n()));
      }
    }
    return new EvalReport(machine, options, Samples.of(rest), Samples.of(agent), Samples.of(added));
  }

  private static double thousandths(double millis) {
    return Math.round(millis * 1000) / 1000.0;
  }

  private static ForkdException untold() {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "The daemon does not tell how long the agent takes, so nothing can be compared. Next:"
            + " `forkd daemon restart`, so that it is of this version.");
  }
}

package io.forkd.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code forkd bench}: hands its words to the bench module, which knows what they mean. */
@Command(
    name = "bench",
    description = "Measure on this machine: spawn, churn, branch, hogs, load, eval, files.")
final class BenchCommand implements Callable<Integer> {
  private final Context context;

  @Unmatched private List<String> words = new ArrayList<>();

  BenchCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    return io.forkd.bench.BenchCommand.run(
        words,
        () -> new DaemonLink(context).require(),
        context.home().resolve("bench/results"),
        context.terminal().out(),
        context.terminal().err());
  }
}

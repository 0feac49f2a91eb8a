package io.forkd.cli;

import io.forkd.client.ForkdClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/** What every command has: its surroundings, {@code --json} and {@code --help}. */
abstract class ForkdCommand implements Callable<Integer> {
  final Context context;

  @Option(names = "--json", description = "Print the result as JSON.")
  boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  ForkdCommand(Context context) {
    this.context = context;
  }

  final Terminal terminal() {
    return context.terminal();
  }

  /** A client of the daemon, which is started first when it is ours to start and does not run. */
  final ForkdClient daemon() {
    return new DaemonLink(context).require();
  }
}

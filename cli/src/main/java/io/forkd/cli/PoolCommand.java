package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import io.forkd.client.PoolInfo;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd pool}: keeps warm children ready. */
@Command(name = "pool", description = "Keep warm children ready: set, ls.")
final class PoolCommand extends GroupCommand {
  PoolCommand(Context context) {
    super(context);
  }

  @Override
  List<Commands.Entry> entries() {
    return List.of(new Commands.Entry("set", Set::new), new Commands.Entry("ls", Ls::new));
  }

  /** {@code forkd pool set}. */
  @Command(name = "set", description = "Keep K children of a snapshot ready; 0 ends the pool.")
  static final class Set extends ForkdCommand {
    @Parameters(index = "0", paramLabel = "TAG", description = "The snapshot.")
    private String tag = "";

    @Option(
        names = "--warm",
        required = true,
        paramLabel = "K",
        description = "How many to keep ready.")
    private int warm;

    Set(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      Tag.of(tag);
      if (warm < 0) {
        throw new CliException(ExitCode.USAGE, "--warm is %d: use 0 or more.".formatted(warm));
      }
      try (ForkdClient client = daemon()) {
        show(List.of(client.setPool(tag, warm)), terminal(), json, true);
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd pool ls}. */
  @Command(name = "ls", description = "List the pools.")
  static final class Ls extends ForkdCommand {
    Ls(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      try (ForkdClient client = daemon()) {
        show(client.pools(), terminal(), json, false);
      }
      return ExitCode.OK;
    }
  }

  private static void show(List<PoolInfo> pools, Terminal terminal, boolean json, boolean single) {
    if (json) {
      List<?> all = pools.stream().map(PoolInfo::json).toList();
      terminal.json(single ? all.getFirst() : all);
      return;
    }
    if (pools.isEmpty()) {
      terminal.err().println("No pools. Next: forkd pool set TAG --warm K");
      return;
    }
    Table table = new Table("TAG", ">WARM", ">READY", ">FILLING", "LAST ERROR");
    pools.forEach(
        p -> table.row(p.tag(), p.warm(), p.ready(), p.filling(), p.lastError().orElse("–")));
    table.print(terminal);
  }
}

package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.ProcessInfo;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd ps}: lists the processes that were started in a sandbox. */
@Command(name = "ps", description = "List what was started in a sandbox and runs or ended lately.")
final class PsCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  PsCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    List<ProcessInfo> all;
    try (ForkdClient client = daemon()) {
      all = client.processes(id).list();
    }
    if (json) {
      terminal().json(all.stream().map(ProcessInfo::json).toList());
    } else if (all.isEmpty()) {
      terminal().err().println("No processes. Next: forkd exec --detach %s -- CMD".formatted(id));
    } else {
      Table table = new Table(">PID", "USER", "STATE", "STARTED", "TTY", "TAG", "COMMAND");
      for (ProcessInfo process : all) {
        table.row(
            process.pid(),
            Visible.name(process.user()),
            state(process),
            process.startedAt(),
            process.pty() ? "yes" : "–",
            Visible.name(process.tag().orElse("–")),
            Visible.name(String.join(" ", process.args())));
      }
      table.print(terminal());
    }
    return ExitCode.OK;
  }

  private static String state(ProcessInfo process) {
    return process
        .code()
        .map(code -> "exit " + code)
        .or(() -> process.signal().map(signal -> "signal " + signal))
        .orElse(process.state());
  }
}

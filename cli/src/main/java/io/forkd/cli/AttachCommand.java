package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.Feed;
import io.forkd.client.ForkdClient;
import io.forkd.client.ProcessEvent;
import io.forkd.client.Processes;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd attach}: listens to a process in a sandbox, or sits down at its terminal. */
@Command(
    name = "attach",
    description = "Listen to a process in a sandbox until it ends; at its terminal, if it has one.")
final class AttachCommand extends ForkdCommand {
  @Option(names = "--replay", description = "Begin with the latest output that is still kept.")
  private boolean replay;

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(index = "1", paramLabel = "PID", description = "As `forkd ps` tells.")
  private int pid;

  AttachCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    try (ForkdClient client = daemon()) {
      Processes processes = client.processes(id);
      if (terminal().typed() && !json && processes.get(pid).pty()) {
        terminal().err().println("forkd: Ctrl-] lets go of it.\r");
        return new TerminalSession(terminal(), true, Optional.of(TerminalSession.LET_GO))
            .run(processes.terminal(pid, replay), () -> {});
      }
      try (Feed<ProcessEvent> feed = processes.attach(pid, replay);
          ProcessOutput output = new ProcessOutput(terminal(), json)) {
        return listen(feed, output);
      }
    }
  }

  private static int listen(Feed<ProcessEvent> feed, ProcessOutput output) {
    while (true) {
      ProcessEvent event = feed.next().orElseThrow();
      if (event instanceof ProcessEvent.End end) {
        output.end(end);
        return end.exitCode();
      }
      if (event instanceof ProcessEvent.Output written && !output.write(written)) {
        return ExitCode.OK;
      }
    }
  }
}

package io.forkd.cli;

import io.forkd.client.Feed;
import io.forkd.client.ForkdClientException;
import io.forkd.client.ProcessEvent;
import io.forkd.client.Processes;
import java.util.Optional;

/**
 * This command's streams joined with those of a process in a sandbox. Input has a thread of its
 * own, which ends with the command.
 */
final class ProcessRelay {
  /** What a shell says of a program whose reader went away. */
  private static final int BROKEN_PIPE = 13;

  private final String id;
  private final Processes processes;
  private final Terminal terminal;
  private Optional<Integer> running = Optional.empty();

  ProcessRelay(String id, Processes processes, Terminal terminal) {
    this.id = id;
    this.processes = processes;
    this.terminal = terminal;
  }

  /** Goes on until the process ends; an interruption is passed on to it. */
  ProcessEvent.End run(Feed<ProcessEvent> feed, ProcessOutput output, boolean withInput) {
    try (Interruption interruption = new Interruption()) {
      while (true) {
        // A feed of a process that has no end is an exception.
        ProcessEvent event = feed.next().orElseThrow();
        if (event instanceof ProcessEvent.Started(int pid)) {
          running = Optional.of(pid);
          interruption.arm(() -> interrupt(pid), () -> stillRuns(pid));
          if (withInput) {
            Thread.ofPlatform().daemon().name("stdin").start(() -> sendInput(pid));
          }
        } else if (event instanceof ProcessEvent.Output written) {
          if (!output.write(written)) {
            killQuietly(feed);
            return new ProcessEvent.Signalled(BROKEN_PIPE, "SIGPIPE", false);
          }
        } else if (event instanceof ProcessEvent.End end) {
          output.end(end);
          interruption.ended(end.exitCode());
          return end;
        }
      }
    }
  }

  private void sendInput(int pid) {
    try {
      processes.send(pid, terminal.in());
      processes.closeInput(pid);
    } catch (ForkdClientException e) {
      // A process may end, or close its input, before it has heard all: its end is told elsewhere.
      return;
    }
  }

  private void interrupt(int pid) {
    processes.signal(pid, "SIGINT");
  }

  private void stillRuns(int pid) {
    terminal
        .err()
        .println(
            "forkd: process %d goes on. Next: `forkd attach %s %d`, or `forkd signal %s %d KILL`."
                .formatted(pid, id, pid, id, pid));
  }

  private void killQuietly(Feed<ProcessEvent> feed) {
    feed.close();
    running.ifPresent(
        number -> {
          try {
            processes.kill(number);
          } catch (ForkdClientException e) {
            // It ended by itself.
            return;
          }
        });
  }
}

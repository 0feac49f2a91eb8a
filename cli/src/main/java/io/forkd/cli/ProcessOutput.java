package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.JsonObject;
import io.forkd.client.ProcessEvent;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** Where a process's output goes: on as it comes, or for programs into one object at its end. */
final class ProcessOutput implements AutoCloseable {
  private static final int MOST_KEPT = 8 << 20;

  private final Terminal terminal;
  private final boolean json;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private boolean truncated;

  ProcessOutput(Terminal terminal, boolean json) {
    this.terminal = terminal;
    this.json = json;
  }

  /** Returns whether anybody still listens. */
  boolean write(ProcessEvent.Output output) {
    boolean toErr = output.channel() == ProcessEvent.Channel.STDERR;
    if (json) {
      keep(toErr ? err : out, output.bytes());
      return true;
    }
    PrintStream target = toErr ? terminal.err() : terminal.out();
    target.write(output.bytes(), 0, output.bytes().length);
    return !target.checkError();
  }

  private void keep(ByteArrayOutputStream kept, byte[] bytes) {
    int room = Math.min(bytes.length, MOST_KEPT - kept.size());
    kept.write(bytes, 0, room);
    truncated |= room < bytes.length;
  }

  void end(ProcessEvent.End end) {
    if (json) {
      terminal.json(
          JsonObject.ofPairs(
              "stdout",
              out.toString(UTF_8),
              "stderr",
              err.toString(UTF_8),
              "exit_code",
              end.exitCode(),
              "truncated",
              truncated,
              "timed_out",
              end.timedOut()));
    }
    if (truncated) {
      terminal.err().println("forkd: the output was too long and its end is missing.");
    }
  }

  @Override
  public void close() {
    terminal.out().flush();
    terminal.err().flush();
  }
}

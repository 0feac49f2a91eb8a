package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of a host program: bounded in time and in the output it may leave, and never outliving
 * this process when it is long.
 */
final class Command {
  private static final int LARGEST_OUTPUT = 64 << 20;
  private static final int LARGEST_ERRORS = 64 << 10;
  private static final int TAIL_LINES = 12;

  /**
   * Kills the program when the pipe to this process closes, so that a daemon killed with -9 leaves
   * no build running in a folder that the next daemon will clean.
   */
  private static final String GUARD =
      "exec 3<&0; \"$@\" 3<&- </dev/null & child=$!;"
          + " { cat <&3; kill -KILL $child; } >/dev/null 2>&1 & guard=$!;"
          + " exec 3<&-; wait $child; status=$?; kill $guard; exit $status";

  private final List<String> words = new ArrayList<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private String program;
  private @Nullable Path folder;
  private Duration timeout = Duration.ofMinutes(2);
  private boolean guarded;

  private Command(Tool tool) {
    program = tool.program();
    words.add(tool.require().toString());
  }

  static Command of(Tool tool, Object... arguments) {
    return new Command(tool).with(arguments);
  }

  Command with(Object... arguments) {
    for (Object argument : arguments) {
      words.add(argument.toString());
    }
    return this;
  }

  Command with(List<?> arguments) {
    return with(arguments.toArray());
  }

  /** The name to use in messages, for a program that only starts the one that matters. */
  Command named(Tool tool) {
    program = tool.program();
    return this;
  }

  Command in(Path workingFolder) {
    folder = workingFolder;
    return this;
  }

  Command env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Command within(Duration limit) {
    timeout = limit;
    return this;
  }

  /** Makes the program die when this process does, whatever the reason. */
  Command guarded() {
    guarded = true;
    return this;
  }

  /** Runs to the end and returns what it printed; anything but success is an exception. */
  String run() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  byte[] bytes() {
    Outcome outcome = attempt();
    if (outcome.status != 0) {
      throw failure("ended with status %d".formatted(outcome.status), outcome);
    }
    return outcome.output;
  }

  boolean succeeds() {
    return attempt().status == 0;
  }

  /** What it printed, or empty when it failed, for questions whose answer may be no. */
  Optional<String> outputIfSuccessful() {
    Outcome outcome = attempt();
    return outcome.status == 0
        ? Optional.of(new String(outcome.output, StandardCharsets.UTF_8))
        : Optional.empty();
  }

  private Outcome attempt() {
    Process process = start();
    try {
      TailReader output = TailReader.start(process.getInputStream(), LARGEST_OUTPUT);
      TailReader errors = TailReader.start(process.getErrorStream(), LARGEST_ERRORS);
      boolean ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        kill(process);
      }
      Outcome outcome = new Outcome(ended ? process.exitValue() : -1, output.join(), errors.join());
      if (!ended) {
        throw failure("did not end within %d s".formatted(timeout.toSeconds()), outcome);
      }
      return outcome;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(ErrorCode.HOST_FAILED, program + " was interrupted.", e);
    } finally {
      kill(process);
      closeQuietly(process.getOutputStream());
    }
  }

  private Process start() {
    List<String> line = new ArrayList<>();
    if (guarded) {
      line.addAll(List.of(Tool.SH.require().toString(), "-c", GUARD, "sh"));
    }
    line.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(line);
    if (folder != null) {
      builder.directory(folder.toFile());
    }
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      if (!guarded) {
        closeQuietly(process.getOutputStream());
      }
      return process;
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "%s could not be started: %s".formatted(program, e), e);
    }
  }

  private static void kill(Process process) {
    if (process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private ForkdException failure(String how, Outcome outcome) {
    String tail = outcome.tail();
    boolean full = tail.contains("No space left on device");
    String next = full ? "Next: free disk space and try again." : "Its last lines:\n" + tail;
    return new ForkdException(
        full ? ErrorCode.FULL : ErrorCode.HOST_FAILED,
        "%s %s%s %s".formatted(program, how, full ? ": no space left on device." : ".", next));
  }

  private static void closeQuietly(OutputStream stream) {
    try {
      stream.close();
    } catch (IOException ignored) {
      // The other end is gone, which is what closing is for.
    }
  }

  private record Outcome(int status, byte[] output, byte[] errors) {
    String tail() {
      byte[] telling = errors.length > 0 ? errors : output;
      List<String> lines = new String(telling, StandardCharsets.UTF_8).strip().lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }
  }
}

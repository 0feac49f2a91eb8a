package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Child;
import io.forkd.linux.ExitStatus;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs other programs to their end, and ends them when the benchmark ends first. */
final class Program {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL", "C", "HOME", "/");

  private final Undo undo;

  Program(Undo undo) {
    this.undo = undo;
  }

  /**
   * A program that has ended.
   *
   * @param output what it wrote to both its streams
   */
  record Ended(ExitStatus status, String output, double millis) {
    boolean succeeded() {
      return status instanceof ExitStatus.Exited(int code) && code == 0;
    }

    /** The last words, for messages. */
    String lastLine() {
      List<String> lines = output.strip().lines().toList();
      return lines.isEmpty() ? "it said nothing" : "it said: " + lines.getLast();
    }
  }

  /**
   * Runs a program.
   *
   * @param log where its words go; a new file
   */
  Ended run(List<String> command, Path log, Duration atMost) {
    Stopwatch watch = new Stopwatch();
    Child child = start(command, log);
    try (Undo.Mark mark = remember(undo, command.getFirst(), child)) {
      Optional<ExitStatus> status = child.waitFor(atMost);
      double millis = watch.millis();
      if (status.isEmpty()) {
        throw new ForkdException(
            ErrorCode.TIMEOUT,
            "%s did not end within %d s.".formatted(command.getFirst(), atMost.toSeconds()));
      }
      mark.forget();
      return new Ended(status.get(), read(log), millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Starts a program that somebody else waits for. */
  static Child start(List<String> command, Path log) {
    Path program =
        Spawn.find(command.getFirst())
            .orElseThrow(
                () ->
                    new ForkdException(
                        ErrorCode.HOST_FAILED, command.getFirst() + " is not installed."));
    return Spawn.of(program, command.subList(1, command.size()))
        .environment(ENVIRONMENT)
        .log(log)
        .start();
  }

  /** Has a child ended with the benchmark; when that ends already, now. */
  static Undo.Mark remember(Undo undo, String name, Child child) {
    try {
      return undo.remember("ending " + name, () -> end(child));
    } catch (Undo.EndingException e) {
      child.kill(Signal.KILL);
      throw e;
    }
  }

  private static void end(Child child) throws InterruptedException {
    child.kill(Signal.KILL);
    child.waitFor(Duration.ofSeconds(10));
  }

  static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "";
    }
  }

  /** CPU time of all ended children of this process, in milliseconds, to a clock tick. */
  static double cpuOfEndedChildrenMillis() {
    try {
      String stat = Files.readString(Path.of("/proc/self/stat"));
      String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return (Long.parseLong(words[13]) + Long.parseLong(words[14])) * 10.0;
    } catch (IOException e) {
      return 0;
    }
  }
}

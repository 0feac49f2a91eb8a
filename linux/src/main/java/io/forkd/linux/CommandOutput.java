package io.forkd.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a short host command printed, both streams together, and its exit code. */
record CommandOutput(int code, String text) {
  private static final Duration AT_MOST = Duration.ofSeconds(10);

  /** Empty when there is no such program. */
  static Optional<CommandOutput> of(String program, String... arguments) {
    Optional<Path> path = Spawn.find(program);
    if (path.isEmpty()) {
      return Optional.empty();
    }
    List<String> command = new ArrayList<>(List.of(path.get().toString()));
    command.addAll(List.of(arguments));
    try {
      return Optional.of(run(command));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CommandOutput run(List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile());
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    try {
      // The watch comes first: reading ends only when the program does.
      Thread watch = Thread.ofVirtual().start(() -> endInTime(process));
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      watch.join();
      return new CommandOutput(process.waitFor(), text);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while %s ran".formatted(command), e);
    }
  }

  private static void endInTime(Process process) {
    try {
      if (!process.waitFor(AT_MOST)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
    }
  }

  boolean success() {
    return code == 0;
  }

  String firstLine() {
    return text.lines().findFirst().orElse("exit code " + code);
  }
}

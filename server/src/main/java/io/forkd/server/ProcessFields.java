package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.guest.ProcessSpec;
import io.forkd.guest.TerminalSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The fields that say what program to start. */
final class ProcessFields {
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);

  private ProcessFields() {}

  static ProcessSpec read(Fields fields) {
    return new ProcessSpec(
        args(fields),
        EnvironmentFields.read(fields),
        text(fields, "cwd"),
        text(fields, "user"),
        fields.flag("stdin"),
        fields.object("pty", "an object with cols and rows").map(ProcessFields::size),
        text(fields, "tag"),
        fields
            .seconds("timeout_secs", 0, ProcessSchemas.LONGEST_TIMEOUT_SECONDS)
            .filter(Duration::isPositive)
            .map(time -> time.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : time));
  }

  private static List<String> args(Fields fields) {
    Optional<String> command = text(fields, "cmd");
    if (command.isPresent() == fields.has("args")) {
      throw ForkdException.badRequest(
          "Say what to run in either args, the program and its arguments, or cmd, a line for"
              + " /bin/sh.");
    }
    return command.map(ProcessFields::shell).orElseGet(() -> fields.arguments("args"));
  }

  static List<String> shell(String command) {
    return List.of("/bin/sh", "-c", command);
  }

  static TerminalSize size(Fields fields) {
    return new TerminalSize(
        fields.requiredInteger("cols", 1, ProcessSchemas.LARGEST_SIDE),
        fields.requiredInteger("rows", 1, ProcessSchemas.LARGEST_SIDE));
  }

  /** Text that a process can be given; an empty one is none. */
  static Optional<String> text(Fields fields, String name) {
    Optional<String> text = fields.string(name).filter(given -> !given.isEmpty());
    if (text.isPresent() && text.get().indexOf('\0') >= 0) {
      throw ForkdException.badRequest("%s contains a NUL character: leave it out.", name);
    }
    return text;
  }
}

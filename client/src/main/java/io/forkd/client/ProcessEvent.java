package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.Optional;

/** Something a process in a sandbox did. */
public sealed interface ProcessEvent {
  /** Its beginning, or that of listening to it. */
  record Started(int pid) implements ProcessEvent {}

  /** Bytes it wrote. */
  record Output(Channel channel, byte[] bytes) implements ProcessEvent {}

  /** Where a process writes to. */
  enum Channel {
    STDOUT,
    STDERR,
    /** A terminal, on which all it writes is one. */
    PTY
  }

  /** Its end. */
  sealed interface End extends ProcessEvent {
    /** What a shell would say: its exit code, or 128 + the signal's number. */
    int exitCode();

    /** Whether it was killed because its time was up. */
    boolean timedOut();
  }

  /** It ended by itself. */
  record Exited(int code, boolean timedOut) implements End {
    @Override
    public int exitCode() {
      return code;
    }
  }

  /**
   * A signal ended it.
   *
   * @param name such as {@code SIGTERM}
   */
  record Signalled(int signal, String name, boolean timedOut) implements End {
    @Override
    public int exitCode() {
      return 128 + signal;
    }
  }

  /** Reads one; empty for signs of life and what a later daemon may tell. */
  static Optional<ProcessEvent> from(JsonObject json) {
    return switch (json.text("type")) {
      case "start" -> Optional.of(new Started(json.integer("pid")));
      case "stdout" -> Optional.of(new Output(Channel.STDOUT, bytes(json)));
      case "stderr" -> Optional.of(new Output(Channel.STDERR, bytes(json)));
      case "pty" -> Optional.of(new Output(Channel.PTY, bytes(json)));
      case "exit" -> Optional.of(new Exited(json.integer("code"), json.flag("timed_out")));
      case "signal" ->
          Optional.of(
              new Signalled(json.integer("signal"), json.text("name"), json.flag("timed_out")));
      default -> Optional.empty();
    };
  }

  private static byte[] bytes(JsonObject json) {
    return json.optionalText("base64")
        .map(text -> Base64.getDecoder().decode(text))
        .orElseGet(() -> json.text("text").getBytes(UTF_8));
  }
}

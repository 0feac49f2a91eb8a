package io.forkd.client;

import java.util.List;
import java.util.Optional;

/**
 * A process in a sandbox.
 *
 * @param pty whether it has a terminal
 * @param startedAt in ISO 8601
 * @param state {@code running}, {@code exited} or {@code signalled}
 * @param code it ended with, when it exited
 * @param signal that ended it
 */
public record ProcessInfo(
    int pid,
    List<String> args,
    String cwd,
    String user,
    Optional<String> tag,
    boolean pty,
    String startedAt,
    String state,
    Optional<Integer> code,
    Optional<Integer> signal,
    JsonObject json) {
  static ProcessInfo from(JsonObject json) {
    return new ProcessInfo(
        json.integer("pid"),
        json.texts("args"),
        json.text("cwd"),
        json.text("user"),
        json.optionalText("tag"),
        json.flag("pty"),
        json.text("started_at"),
        json.text("state"),
        json.optionalNumber("code").map(Math::toIntExact),
        json.optionalNumber("signal").map(Math::toIntExact),
        json);
  }

  public boolean running() {
    return state.equals("running");
  }
}

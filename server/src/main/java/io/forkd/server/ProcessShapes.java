package io.forkd.server;

import io.forkd.guest.ProcessEnd;
import io.forkd.guest.ProcessInfo;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;

/** The wire's shapes of processes in a guest. */
final class ProcessShapes {
  private ProcessShapes() {}

  static JsonObject process(ProcessInfo process) {
    JsonObject shape =
        Json.object()
            .with("pid", process.pid())
            .with("args", process.args())
            .with("cwd", process.cwd())
            .with("user", process.user())
            .withOptional("tag", process.tag())
            .with("pty", process.terminal())
            .with("started_at", process.startedAt());
    if (process.end().isEmpty()) {
      return shape.with("state", "running");
    }
    return switch (process.end().get()) {
      case ProcessEnd.Exited(int code) -> shape.with("state", "exited").with("code", code);
      case ProcessEnd.Signalled(int signal, boolean timedOut) ->
          shape.with("state", "signalled").with("signal", signal).with("timed_out", timedOut);
    };
  }

  static JsonObject start(long pid) {
    return LineStream.line("start").with("pid", pid);
  }

  static JsonObject end(ProcessEnd end) {
    return switch (end) {
      case ProcessEnd.Exited(int code) -> LineStream.line("exit").with("code", code);
      case ProcessEnd.Signalled(int signal, boolean timedOut) ->
          LineStream.line("signal")
              .with("signal", signal)
              .with("name", Signals.name(signal))
              .with("timed_out", timedOut);
    };
  }
}

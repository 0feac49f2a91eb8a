package io.forkd.server.e2b;

import io.forkd.guest.ProcessEnd;
import io.forkd.guest.ProcessEvent;
import io.forkd.guest.ProcessStream;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** Passes on what a process does, as it comes. */
final class ProcessEvents {
  /** Jetty closes connections that are silent for a minute. */
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(25);

  private static final JsonObject KEEPALIVE = event("keepalive", Json.object());

  private static final Map<Integer, String> SIGNALS =
      Map.ofEntries(
          Map.entry(1, "hangup"),
          Map.entry(2, "interrupt"),
          Map.entry(3, "quit"),
          Map.entry(4, "illegal instruction"),
          Map.entry(5, "trace/breakpoint trap"),
          Map.entry(6, "aborted"),
          Map.entry(7, "bus error"),
          Map.entry(8, "floating point exception"),
          Map.entry(9, "killed"),
          Map.entry(10, "user defined signal 1"),
          Map.entry(11, "segmentation fault"),
          Map.entry(12, "user defined signal 2"),
          Map.entry(13, "broken pipe"),
          Map.entry(14, "alarm clock"),
          Map.entry(15, "terminated"));

  private final Frames.Sink out;
  private final Duration silence;

  ProcessEvents(Rpc.Call call, Frames.Sink out) {
    this.out = out;
    this.silence = silence(call);
  }

  /** How long a stream may be silent before it says that it is still there. */
  static Duration silence(Rpc.Call call) {
    return call.number("Keepalive-Ping-Interval")
        .map(Duration::ofSeconds)
        .filter(asked -> asked.compareTo(LONGEST_SILENCE) < 0)
        .orElse(LONGEST_SILENCE);
  }

  /** Until the process ends, or the client is gone; the process goes on then. */
  void pass(ProcessStream stream) throws IOException {
    out.send(event("start", Json.object().with("pid", stream.pid())));
    try {
      while (true) {
        Optional<ProcessEvent> next = stream.next(silence);
        if (next.isEmpty()) {
          out.send(KEEPALIVE);
          continue;
        }
        switch (next.get()) {
          case ProcessEvent.Output(ProcessEvent.Channel channel, byte[] bytes) ->
              out.send(data(channel, bytes));
          case ProcessEvent.Ended(ProcessEnd how) -> {
            out.send(event("end", end(how)));
            return;
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted by the end of the daemon", e);
    }
  }

  private static JsonObject data(ProcessEvent.Channel channel, byte[] bytes) {
    String name =
        switch (channel) {
          case STDOUT -> "stdout";
          case STDERR -> "stderr";
          case TERMINAL -> "pty";
        };
    return event("data", Json.object().with(name, Base64.getEncoder().encodeToString(bytes)));
  }

  private static JsonObject end(ProcessEnd how) {
    return switch (how) {
      case ProcessEnd.Exited(int code) -> {
        String status = "exit status " + code;
        JsonObject end =
            Json.object().with("exitCode", code).with("exited", true).with("status", status);
        yield code == 0 ? end : end.with("error", status);
      }
      case ProcessEnd.Signalled(int signal, boolean timedOut) -> {
        if (timedOut) {
          throw new RpcFailure(
              RpcCode.DEADLINE_EXCEEDED, "The process was killed when its time was over.");
        }
        String status = "signal: " + SIGNALS.getOrDefault(signal, "signal " + signal);
        yield Json.object()
            .with("exitCode", -1)
            .with("exited", false)
            .with("status", status)
            .with("error", status);
      }
    };
  }

  private static JsonObject event(String name, JsonObject what) {
    return Json.object().with("event", Json.object().with(name, what));
  }
}

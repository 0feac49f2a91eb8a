package io.forkd.server.e2b;

import io.forkd.guest.Inside;
import io.forkd.guest.ProcessEnd;
import io.forkd.guest.ProcessEvent;
import io.forkd.guest.ProcessSpec;
import io.forkd.guest.ProcessStream;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The environment of what is started in a sandbox, as a program there sees it. */
final class Environment {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MOST_BYTES = 1 << 20;

  private Environment() {}

  static JsonObject of(Inside inside) {
    ProcessSpec spec =
        new ProcessSpec(
            List.of("/usr/bin/env", "-0"),
            Map.of(),
            Optional.of("/"),
            Optional.empty(),
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.of(PATIENCE));
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    try (ProcessStream stream = inside.processes().start(spec)) {
      while (output.size() < MOST_BYTES) {
        Optional<ProcessEvent> event = stream.next(PATIENCE);
        if (event.isEmpty() || isFailure(event.get())) {
          throw new HttpProblem(502, "The sandbox did not tell its environment.");
        }
        if (event.get() instanceof ProcessEvent.Output(var _, byte[] bytes)) {
          output.writeBytes(bytes);
        } else {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HttpProblem(502, "The daemon ends.");
    }
    return parse(output.toString(StandardCharsets.UTF_8));
  }

  private static boolean isFailure(ProcessEvent event) {
    return event instanceof ProcessEvent.Ended(ProcessEnd how)
        && !how.equals(new ProcessEnd.Exited(0));
  }

  private static JsonObject parse(String text) {
    JsonObject all = Json.object();
    for (String pair : text.split("\0", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        all.with(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return all;
  }
}

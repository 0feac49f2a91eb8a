package io.forkd.server;

import io.forkd.guest.ProcessEvent;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Tells what one process writes and how it ends. */
final class ProcessTeller implements LineStream.Teller<ProcessEvent> {
  private final Map<ProcessEvent.Channel, Utf8Chunks> channels =
      new EnumMap<>(ProcessEvent.Channel.class);

  @Override
  public boolean tell(ProcessEvent event, LineStream lines) throws IOException {
    switch (event) {
      case ProcessEvent.Output(ProcessEvent.Channel channel, byte[] bytes) -> {
        send(lines, channels.computeIfAbsent(channel, ProcessTeller::chunks).take(bytes));
        return true;
      }
      case ProcessEvent.Ended ended -> {
        for (Utf8Chunks chunks : channels.values()) {
          send(lines, chunks.end());
        }
        lines.send(ProcessShapes.end(ended.how()));
        return false;
      }
    }
  }

  private static void send(LineStream lines, Optional<JsonObject> line) throws IOException {
    if (line.isPresent()) {
      lines.send(line.get());
    }
  }

  private static Utf8Chunks chunks(ProcessEvent.Channel channel) {
    return new Utf8Chunks(channel == ProcessEvent.Channel.TERMINAL ? "pty" : Shapes.word(channel));
  }
}

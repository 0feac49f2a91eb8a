package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a listener heard of a process. */
final class Heard {
  private final Map<ProcessEvent.Channel, ByteArrayOutputStream> outputs = new TreeMap<>();
  private Optional<ProcessEnd> end = Optional.empty();

  /** Listens up to the end and closes the stream. */
  static Heard all(ProcessStream stream) throws InterruptedException {
    try (stream) {
      Heard heard = new Heard();
      while (heard.end.isEmpty()) {
        heard.take(stream);
      }
      return heard;
    }
  }

  /** Listens up to the end, closes the stream and keeps nothing else of it. */
  static ProcessEnd endOf(ProcessStream stream) throws InterruptedException {
    try (stream) {
      while (true) {
        Heard heard = new Heard();
        heard.take(stream);
        if (heard.end.isPresent()) {
          return heard.end();
        }
      }
    }
  }

  /** Listens until this was heard on any channel. */
  static Heard until(ProcessStream stream, String text) throws InterruptedException {
    Heard heard = new Heard();
    while (heard.outputs.keySet().stream().noneMatch(it -> heard.text(it).contains(text))) {
      heard.take(stream);
    }
    return heard;
  }

  private void take(ProcessStream stream) throws InterruptedException {
    ProcessEvent event =
        stream
            .next(PATIENCE)
            .orElseThrow(() -> new AssertionError("nothing more after " + outputs + end));
    if (end.isPresent()) {
      throw new AssertionError("more after the end");
    }
    switch (event) {
      case ProcessEvent.Output(ProcessEvent.Channel channel, byte[] bytes) ->
          outputs.computeIfAbsent(channel, _ -> new ByteArrayOutputStream()).writeBytes(bytes);
      case ProcessEvent.Ended(ProcessEnd how) -> end = Optional.of(how);
    }
  }

  private String text(ProcessEvent.Channel channel) {
    ByteArrayOutputStream output = outputs.getOrDefault(channel, new ByteArrayOutputStream());
    return output.toString(StandardCharsets.UTF_8);
  }

  byte[] bytes() {
    return outputs
        .getOrDefault(ProcessEvent.Channel.STDOUT, new ByteArrayOutputStream())
        .toByteArray();
  }

  String stdout() {
    return text(ProcessEvent.Channel.STDOUT);
  }

  String stderr() {
    return text(ProcessEvent.Channel.STDERR);
  }

  String terminal() {
    return text(ProcessEvent.Channel.TERMINAL);
  }

  ProcessEnd end() {
    return end.orElseThrow(() -> new AssertionError("it has not ended after " + outputs));
  }
}

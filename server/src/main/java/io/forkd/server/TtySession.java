package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.guest.ProcessEnd;
import io.forkd.guest.ProcessEvent;
import io.forkd.guest.ProcessRef;
import io.forkd.guest.ProcessStream;
import io.forkd.guest.ProcessTable;
import io.forkd.server.http.WebSocket;
import io.forkd.server.http.WebSocketListener;
import io.forkd.server.http.WebSocketMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * A client at a process's terminal. One thread carries output to the client, another what the
 * client says to the process. A client that says goodbye hangs up on what it started; when the
 * connection breaks, the process goes on and can be attached to.
 */
final class TtySession implements WebSocketListener {
  private static final Duration GOODBYE = Duration.ofSeconds(2);

  private final ProcessTable processes;
  private final ProcessStream process;
  private final ProcessRef which;
  private final boolean started;
  private final OpenStreams streams;
  private final Duration heartbeat;

  /**
   * @param started whether the process was started for this client alone
   */
  TtySession(
      ProcessTable processes,
      ProcessStream process,
      boolean started,
      OpenStreams streams,
      Duration heartbeat) {
    this.processes = processes;
    this.process = process;
    this.which = new ProcessRef.Pid(process.pid());
    this.started = started;
    this.streams = streams;
    this.heartbeat = heartbeat;
  }

  @Override
  public void abandon() {
    if (started) {
      hangUp();
    }
    process.close();
  }

  @Override
  public void serve(WebSocket client) throws IOException {
    Thread output = Thread.currentThread();
    try (OpenStreams.Open _ = streams.begin(OpenStreams.Kind.TERMINAL);
        process) {
      client.sendText(ProcessShapes.start(process.pid()));
      Thread input = Thread.ofVirtual().name("tty-input").start(() -> listen(client, output));
      try {
        tell(client);
        boolean _ = input.join(GOODBYE);
      } catch (InterruptedException e) {
        // The client went first.
      } finally {
        input.interrupt();
        client.end();
      }
    }
  }

  /** Returns when the client has been told how it ended. */
  private void tell(WebSocket client) throws IOException, InterruptedException {
    try {
      Optional<ProcessEnd> end = Optional.empty();
      while (end.isEmpty()) {
        end = tellNext(client);
      }
      client.sendText(ProcessShapes.end(end.get()));
      client.close(WebSocket.NORMAL, "");
    } catch (ForkdException e) {
      client.sendText(LineStream.error(message(e)));
      client.close(WebSocket.FAILED, "the sandbox failed");
    }
  }

  private Optional<ProcessEnd> tellNext(WebSocket client) throws IOException, InterruptedException {
    Optional<ProcessEvent> next = process.next(heartbeat);
    if (next.isEmpty()) {
      client.ping();
      return Optional.empty();
    }
    return switch (next.get()) {
      case ProcessEvent.Output output -> {
        client.sendBinary(output.bytes());
        yield Optional.empty();
      }
      case ProcessEvent.Ended(ProcessEnd how) -> Optional.of(how);
    };
  }

  private void listen(WebSocket client, Thread output) {
    try (Keyboard keyboard = new Keyboard(processes, which)) {
      WebSocketMessage message = client.receive();
      while (!(message instanceof WebSocketMessage.Goodbye)) {
        hear(client, keyboard, message);
        message = client.receive();
      }
      if (started) {
        hangUp();
      }
    } catch (IOException e) {
      // The client is gone: nobody is left to be told.
    } finally {
      output.interrupt();
    }
  }

  private void hear(WebSocket client, Keyboard keyboard, WebSocketMessage message)
      throws IOException {
    switch (message) {
      case WebSocketMessage.Binary(byte[] bytes) -> keyboard.type(bytes);
      case WebSocketMessage.Text(String text) -> {
        try {
          obey(BodyReader.read(text.getBytes(StandardCharsets.UTF_8)));
        } catch (ForkdException e) {
          client.sendText(LineStream.error(message(e)));
        }
      }
      case WebSocketMessage.Goodbye _ -> throw new IllegalStateException("nothing follows it");
    }
  }

  private void obey(Fields fields) {
    switch (fields.requiredString("type")) {
      case "resize" -> processes.resize(which, ProcessFields.size(fields));
      case "signal" -> processes.signal(which, Signals.read(fields, "signal"));
      default -> throw ForkdException.badRequest("type must be resize or signal.");
    }
  }

  private void hangUp() {
    try {
      processes.signal(which, Signals.HANGUP);
    } catch (ForkdException e) {
      // It ended meanwhile.
    }
  }

  private static String message(ForkdException e) {
    return e.code() == ErrorCode.INTERNAL ? "The daemon failed." : String.valueOf(e.getMessage());
  }
}

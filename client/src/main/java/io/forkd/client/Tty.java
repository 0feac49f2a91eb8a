package io.forkd.client;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * A terminal in a sandbox: what is typed goes to the program on it, what the program draws comes
 * back. One thread receives; any may type.
 */
public final class Tty implements AutoCloseable {
  private final Endpoint endpoint;
  private final String path;
  private final WebSocket socket;
  private volatile boolean closed;
  private boolean ended;
  private Optional<String> problem = Optional.empty();

  private Tty(Endpoint endpoint, String path, WebSocket socket) {
    this.endpoint = endpoint;
    this.path = path;
    this.socket = socket;
  }

  static Tty open(Endpoint endpoint, String path) {
    return new Tty(endpoint, path, WebSocket.open(endpoint, path));
  }

  /** Types bytes, which are copied. */
  public void type(byte[] bytes, int length) {
    try {
      socket.sendBytes(Arrays.copyOf(bytes, length));
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** Tells the program how large its terminal is now. */
  public void resize(TerminalSize size) {
    tell(JsonObject.ofPairs("type", "resize", "cols", size.columns(), "rows", size.rows()));
  }

  /** Signals the program and its group. */
  public void signal(String name) {
    tell(JsonObject.ofPairs("type", "signal", "signal", name));
  }

  private void tell(JsonObject message) {
    try {
      socket.sendText(message.toString());
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** Waits for what the program does next; empty after its end, or when this was closed. */
  public Optional<ProcessEvent> next() {
    try {
      while (!ended) {
        WebSocket.Message message = socket.receive().orElseThrow(this::goodbye);
        Optional<ProcessEvent> event = read(message);
        if (event.isPresent()) {
          ended = event.get() instanceof ProcessEvent.End;
          return event;
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      if (closed) {
        return Optional.empty();
      }
      throw broken(e);
    }
  }

  private Optional<ProcessEvent> read(WebSocket.Message message) {
    if (!message.text()) {
      return Optional.of(new ProcessEvent.Output(ProcessEvent.Channel.PTY, message.bytes()));
    }
    JsonObject json = Json.parseObject(message.string());
    // Not the end by itself: a size that was refused is told so too.
    problem = json.optionalText("error").or(() -> problem);
    return ProcessEvent.from(json);
  }

  private ForkdClientException goodbye() {
    return problem
        .map(reason -> new ForkdClientException(ForkdClientException.BROKEN, reason))
        .orElseGet(() -> broken(new IOException("the daemon let go before the program ended")));
  }

  private ForkdClientException broken(IOException cause) {
    return ForkdClientException.broken("GET " + path, endpoint, cause);
  }

  /** Lets go of the terminal; a program on it goes on or ends as the daemon decides. */
  @Override
  public void close() {
    closed = true;
    socket.close();
  }
}

package io.forkd.server;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Somebody at a terminal, with the JDK's WebSocket. */
final class TtyClient implements AutoCloseable, WebSocket.Listener {
  private static final int PATIENCE_SECONDS = 30;

  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private final StringBuilder text = new StringBuilder();
  private final LinkedBlockingQueue<JsonNode> told = new LinkedBlockingQueue<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private final CompletableFuture<WebSocket> socket = new CompletableFuture<>();

  static TtyClient open(HttpClient http, URI uri) throws Exception {
    TtyClient client = new TtyClient();
    WebSocket opened =
        http.newWebSocketBuilder()
            .buildAsync(URI.create(uri.toString().replace("http:", "ws:")), client)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    client.socket.complete(opened);
    return client;
  }

  void type(String keys) throws Exception {
    socket
        .join()
        .sendBinary(ByteBuffer.wrap(keys.getBytes(StandardCharsets.UTF_8)), true)
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  void say(String words) throws Exception {
    socket.join().sendText(words, true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** The next thing told, which is of that type. */
  JsonNode told(String type) throws Exception {
    JsonNode next = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (next == null || !Lines.type(next).equals(type)) {
      throw new AssertionError("not %s: %s; the screen: %s".formatted(type, next, shown()));
    }
    return next;
  }

  synchronized String shown() {
    return screen.toString(StandardCharsets.UTF_8);
  }

  /** Waits until the screen shows something. */
  synchronized void shows(String words) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!shown().contains(words)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("'%s' is not shown: %s".formatted(words, shown()));
      }
      wait(100);
    }
  }

  /** The code the server closed with. */
  int closed() throws Exception {
    return closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  void breakOff() {
    socket.join().abort();
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    synchronized (this) {
      screen.writeBytes(bytes);
      notifyAll();
    }
    from.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      told.add(Answer.parse(text.toString()));
      text.setLength(0);
    }
    from.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    closed.complete(code);
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    closed.completeExceptionally(error);
  }

  @Override
  public void close() throws Exception {
    if (!closed.isDone()) {
      socket
          .join()
          .sendClose(WebSocket.NORMAL_CLOSURE, "")
          // The server may say goodbye at the same time.
          .exceptionally(_ -> socket.join())
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      closed();
    }
  }
}

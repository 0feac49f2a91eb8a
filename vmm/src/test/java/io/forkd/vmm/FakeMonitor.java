package io.forkd.vmm;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** QEMU's end of a monitor connection, played by a test's script in a thread of its own. */
final class FakeMonitor implements AutoCloseable {
  static final String GREETING =
      "{\"QMP\": {\"version\": {\"qemu\": {\"major\": 7}}, \"capabilities\": []}}";
  static final String DONE = "{\"return\": {}}";

  /** What QEMU does once somebody has connected. */
  interface Script {
    void run(FakeMonitor monitor) throws Exception;
  }

  private final ServerSocketChannel server;
  private final CompletableFuture<SocketChannel> connected = new CompletableFuture<>();
  private final CompletableFuture<BufferedReader> reader = new CompletableFuture<>();
  private final CompletableFuture<Boolean> played = new CompletableFuture<>();

  FakeMonitor(Path socket, Script script) throws IOException {
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread.startVirtualThread(() -> play(script));
  }

  private void play(Script script) {
    try {
      SocketChannel channel = server.accept();
      reader.complete(new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)));
      connected.complete(channel);
      script.run(this);
      played.complete(true);
    } catch (Exception | AssertionError e) {
      played.completeExceptionally(e);
    }
  }

  /** Greets and answers qmp_capabilities, as every QEMU does first. */
  void welcome() throws IOException {
    say(GREETING);
    hear("qmp_capabilities");
    say(DONE);
  }

  void say(String line) throws IOException {
    sayWithoutEnd(line + "\n");
  }

  void sayWithoutEnd(String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      connected.join().write(bytes);
    }
  }

  /** The next line that was sent. */
  String hear() throws IOException {
    return Objects.requireNonNull(reader.join().readLine(), "the host hung up");
  }

  void hear(String command) throws IOException {
    String line = hear();
    if (!line.contains("\"execute\":\"%s\"".formatted(command))) {
      throw new AssertionError("expected %s, got %s".formatted(command, line));
    }
  }

  void hangUp() throws IOException {
    connected.join().close();
  }

  /** Whether the host closes its end; blocks until it does. */
  boolean heardHangUp() throws IOException {
    return reader.join().readLine() == null;
  }

  /** Fails when the script has. */
  void assertPlayed() {
    played.join();
  }

  @Override
  public void close() throws IOException {
    server.close();
    SocketChannel channel = connected.getNow(null);
    if (channel != null) {
      channel.close();
    }
  }
}

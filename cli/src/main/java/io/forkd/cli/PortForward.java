package io.forkd.cli;

import io.forkd.base.Duplex;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.JsonObject;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A port of this host whose connections are those of a port of a sandbox. Each connection has two
 * virtual threads, and none waits for another.
 */
final class PortForward implements AutoCloseable {
  private static final int BACKLOG = 1024;

  private final ForkdClient client;
  private final String id;
  private final PortWishes.Wish wish;
  private final ServerSocket listener;
  private final AtomicReference<String> lastProblem = new AtomicReference<>("");

  private PortForward(ForkdClient client, String id, PortWishes.Wish wish, ServerSocket listener) {
    this.client = client;
    this.id = id;
    this.wish = wish;
    this.listener = listener;
  }

  /** Listens; nobody is served yet. */
  static PortForward open(ForkdClient client, String id, PortWishes.Wish wish, InetAddress address)
      throws IOException {
    int local = wish.local().orElse(wish.port());
    ServerSocket listener;
    try {
      listener = listen(address, local);
    } catch (BindException e) {
      if (wish.local().isPresent()) {
        throw CliException.failed(
            "Cannot listen on %s port %d: %s. Next: name another, or 0 for any."
                .formatted(address.getHostAddress(), local, e.getMessage()));
      }
      listener = listen(address, 0);
    }
    return new PortForward(client, id, wish, listener);
  }

  private static ServerSocket listen(InetAddress address, int port) throws IOException {
    ServerSocket listener = new ServerSocket();
    try {
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(address, port), BACKLOG);
      return listener;
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  int port() {
    return wish.port();
  }

  int localPort() {
    return listener.getLocalPort();
  }

  /** Whether it could not have the port it would have had. */
  boolean elsewhere() {
    return wish.local().isEmpty() && localPort() != port();
  }

  String url() {
    String host = listener.getInetAddress().getHostAddress();
    return "http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, localPort());
  }

  JsonObject json() {
    return JsonObject.ofPairs(
        "port",
        port(),
        "local_port",
        localPort(),
        "url",
        url(),
        "proxy_path",
        ForkdClient.portPath(id, port()));
  }

  /** Serves until the thread is interrupted, or fails when the sandbox has ended. */
  static void serve(List<PortForward> forwards, Terminal terminal) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    for (PortForward forward : forwards) {
      Thread.ofVirtual().name("listen").start(() -> forward.accept(end, terminal));
    }
    try {
      end.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException reason ? reason : new IllegalStateException(e);
    }
  }

  private void accept(CompletableFuture<Void> end, Terminal terminal) {
    try {
      while (true) {
        Socket socket = listener.accept();
        Thread.ofVirtual().name("forward").start(() -> carry(socket, end, terminal));
      }
    } catch (IOException e) {
      end.completeExceptionally(
          CliException.failed("Listening on %s failed: %s.".formatted(url(), e.getMessage())));
    }
  }

  private void carry(Socket socket, CompletableFuture<Void> end, Terminal terminal) {
    try (socket) {
      socket.setTcpNoDelay(true);
      Duplex guest;
      try {
        guest = client.connectPort(id, port());
      } catch (ForkdClientException e) {
        // Who connects hears a reset, the nearest to a refusal there is.
        socket.setSoLinger(true, 0);
        refused(e, end, terminal);
        return;
      }
      lastProblem.set("");
      Duplex.join(local(socket), guest);
    } catch (IOException e) {
      // Either side may hang up when it likes.
      return;
    }
  }

  private void refused(ForkdClientException e, CompletableFuture<Void> end, Terminal terminal) {
    if (e.status() == 404) {
      end.completeExceptionally(e);
    } else if (!e.getMessage().equals(lastProblem.getAndSet(e.getMessage()))) {
      terminal.err().println("forkd: " + Visible.name(e.getMessage()));
    }
  }

  private static Duplex local(Socket socket) throws IOException {
    OutputStream out =
        new FilterOutputStream(socket.getOutputStream()) {
          @Override
          public void write(byte[] source, int offset, int length) throws IOException {
            out.write(source, offset, length);
          }

          @Override
          public void close() throws IOException {
            socket.shutdownOutput();
          }
        };
    return Duplex.of(
        socket.getInputStream(),
        out,
        () -> {
          try {
            socket.close();
          } catch (IOException e) {
            // It is given up anyhow.
            return;
          }
        });
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      // It ends with the process at the latest.
      return;
    }
  }
}

package io.forkd.guest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A server on this machine's loopback, which is what an agent that runs here connects to. */
final class TcpServer implements AutoCloseable {
  private final ServerSocket listener;

  TcpServer() throws IOException {
    listener = new ServerSocket(0, 1024, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
  }

  int port() {
    return listener.getLocalPort();
  }

  /** What a server does with one client. */
  interface Service<T> {
    T serve(Socket client) throws Exception;
  }

  /** Serves the next client and tells what came of it. */
  <T> Future<T> serveNext(Service<T> service) {
    return inBackground(
        () -> {
          try (Socket client = listener.accept()) {
            return service.serve(client);
          }
        });
  }

  /** Serves every client until the server is closed. */
  void serveAll(Service<?> service) {
    var _ =
        inBackground(
            () -> {
              while (true) {
                Socket client = listener.accept();
                var _ =
                    inBackground(
                        () -> {
                          try (client) {
                            return service.serve(client);
                          }
                        });
              }
            });
  }

  static long echo(Socket client) throws IOException {
    return client.getInputStream().transferTo(client.getOutputStream());
  }

  static <T> CompletableFuture<T> inBackground(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                result.complete(work.call());
              } catch (Exception e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}

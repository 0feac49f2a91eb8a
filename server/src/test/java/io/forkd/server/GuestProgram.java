package io.forkd.server;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A program that listens on a port and says exactly what a test means, well-formed or not. */
final class GuestProgram implements AutoCloseable {
  /** Serves one connection, which is closed when it returns. */
  @FunctionalInterface
  interface Conversation {
    void hold(Socket socket) throws Exception;
  }

  private final ServerSocket listener = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /** Why conversations broke off. */
  final List<Exception> failures = new CopyOnWriteArrayList<>();

  GuestProgram(Conversation conversation) throws IOException {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  Socket socket = listener.accept();
                  sockets.add(socket);
                  Thread.ofVirtual().start(() -> serve(socket, conversation));
                }
              } catch (IOException e) {
                return;
              }
            });
  }

  /** Reads a request's head and sends these bytes, whatever was asked. */
  static GuestProgram saying(String answer) throws IOException {
    return new GuestProgram(
        socket -> {
          head(socket);
          send(socket, answer);
        });
  }

  int port() {
    return listener.getLocalPort();
  }

  /** All up to and with the empty line. */
  static String head(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("The request ended in its head: " + head);
      }
      matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
      head.write(next);
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Answers with a body of known length. */
  static void reply(Socket socket, String body) throws IOException {
    send(socket, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body));
  }

  private void serve(Socket socket, Conversation conversation) {
    try (socket) {
      conversation.hold(socket);
    } catch (Exception e) {
      failures.add(e);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}

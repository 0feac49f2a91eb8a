package io.forkd.base;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DuplexTest {
  /** Two ends of a connection. */
  private record Pair(Socket outer, Socket inner) {
    static Pair open() throws IOException {
      try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        Socket outer = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
        return new Pair(outer, listener.accept());
      }
    }
  }

  private Pair left;
  private Pair right;
  private CompletableFuture<Void> joined;

  @BeforeEach
  void join() throws IOException {
    left = Pair.open();
    right = Pair.open();
    Duplex one = duplex(left.inner);
    Duplex other = duplex(right.inner);
    joined =
        CompletableFuture.runAsync(
            () -> {
              try {
                Duplex.join(one, other);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  @AfterEach
  void close() throws IOException {
    left.outer.close();
    right.outer.close();
  }

  @Test
  void eachWayEndsByItself() throws Exception {
    send(left.outer, "question");
    left.outer.shutdownOutput();
    assertThat(new String(right.outer.getInputStream().readAllBytes(), UTF_8))
        .isEqualTo("question");
    send(right.outer, "answer");
    right.outer.shutdownOutput();
    assertThat(new String(left.outer.getInputStream().readAllBytes(), UTF_8)).isEqualTo("answer");
    joined.get(30, TimeUnit.SECONDS);
    assertThat(left.inner.isClosed()).isTrue();
    assertThat(right.inner.isClosed()).isTrue();
  }

  @Test
  void whatComesIsCarriedAtOnce() throws IOException {
    for (int i = 0; i < 3; i++) {
      send(left.outer, "ping");
      assertThat(right.outer.getInputStream().readNBytes(4)).isEqualTo("ping".getBytes(UTF_8));
      send(right.outer, "pong");
      assertThat(left.outer.getInputStream().readNBytes(4)).isEqualTo("pong".getBytes(UTF_8));
    }
  }

  @Test
  void aSideThatBreaksEndsTheOther() throws Exception {
    // A reset, not a regular end.
    left.outer.setSoLinger(true, 0);
    left.outer.close();
    assertThat(right.outer.getInputStream().readAllBytes()).isEmpty();
    assertThatThrownBy(() -> joined.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(IOException.class);
    assertThat(right.inner.isClosed()).isTrue();
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  private static Duplex duplex(Socket socket) throws IOException {
    OutputStream out =
        new FilterOutputStream(socket.getOutputStream()) {
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
            throw new UncheckedIOException(e);
          }
        });
  }
}

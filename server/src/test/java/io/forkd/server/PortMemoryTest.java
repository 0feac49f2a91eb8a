package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A daemon whose heap is a quarter of what goes through it. */
@Timeout(240)
class PortMemoryTest {
  private static final long LENGTH = 512L << 20;

  @TempDir Path folder;

  @Test
  void bodiesLargerThanTheHeapGoThroughBothWaysAtOnce() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder);
        GuestProgram guest = new GuestProgram(PortMemoryTest::echo)) {
      daemon.awaitReady();
      String id =
          daemon
              .call("POST", "/v1/sandboxes", "{\"snapshot_tag\":\"base\"}")
              .json()
              .path(0)
              .path("id")
              .asString();
      try (Wire wire = Wire.unix(daemon.socket())) {
        wire.send(
            "POST /v1/sandboxes/%s/ports/%d/ HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
                .formatted(id, guest.port(), LENGTH));
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(wire));
        assertThat(wire.head().status()).isEqualTo(200);
        byte[] buffer = new byte[64 << 10];
        long total = 0;
        while (total < LENGTH) {
          int count = wire.read(buffer);
          assertThat(count).as("%d bytes in; %s", total, daemon.output()).isPositive();
          total += count;
        }
        assertThat(total).isEqualTo(LENGTH);
        sending.get(60, TimeUnit.SECONDS);
      }
    }
  }

  private static void send(Wire wire) {
    try {
      byte[] block = new byte[64 << 10];
      for (long sent = 0; sent < LENGTH; sent += block.length) {
        wire.send(block);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void echo(Socket socket) throws IOException {
    GuestProgram.head(socket);
    GuestProgram.send(socket, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n".formatted(LENGTH));
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[64 << 10];
    long total = 0;
    while (total < LENGTH) {
      int count = in.read(buffer);
      if (count < 0) {
        return;
      }
      socket.getOutputStream().write(buffer, 0, count);
      total += count;
    }
  }
}

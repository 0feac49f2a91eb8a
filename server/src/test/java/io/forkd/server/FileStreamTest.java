package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.SandboxId;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files larger than a daemon's heap, and those that break off. */
@Timeout(240)
class FileStreamTest {
  private static final long LENGTH = 256L << 20;

  @TempDir Path folder;

  @Test
  void aFileTwiceTheHeapGoesUpAndDownWithTheSameHash() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder)) {
      daemon.awaitReady();
      try {
        String id =
            daemon
                .call("POST", "/v1/sandboxes", "{\"snapshot_tag\":\"base\"}")
                .json()
                .path(0)
                .path("id")
                .asString();
        String path = "/v1/sandboxes/%s/files?path=%s".formatted(id, folder.resolve("big"));
        byte[] sent;
        try (Wire wire = Wire.unix(daemon.socket())) {
          wire.send(
              "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                  .formatted(path, LENGTH));
          sent = send(wire);
          Answer answer = wire.answer();
          assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
          assertThat(answer.json().path("size").asLong()).isEqualTo(LENGTH);
          wire.request("GET", path, "");
          assertThat(wire.head().header("content-length")).isEqualTo(String.valueOf(LENGTH));
          assertThat(receive(wire)).isEqualTo(sent);
        }
        assertThat(daemon.output()).doesNotContain("OutOfMemory");
      } finally {
        daemon.terminate();
        daemon.awaitEnd();
      }
    }
  }

  private static byte[] send(Wire wire) throws Exception {
    MessageDigest hash = MessageDigest.getInstance("SHA-256");
    byte[] block = new byte[64 << 10];
    for (long sent = 0; sent < LENGTH; sent += block.length) {
      for (int i = 0; i < block.length; i += 61) {
        block[i] += (byte) (i + sent / block.length);
      }
      hash.update(block);
      wire.send(block);
    }
    return hash.digest();
  }

  private static byte[] receive(Wire wire) throws Exception {
    MessageDigest hash = MessageDigest.getInstance("SHA-256");
    byte[] buffer = new byte[64 << 10];
    for (long total = 0; total < LENGTH; ) {
      int count = wire.read(buffer);
      assertThat(count).as("%d bytes in", total).isPositive();
      hash.update(buffer, 0, count);
      total += count;
    }
    return hash.digest();
  }

  @Test
  void aGuestThatDiesBreaksADownloadOff() throws Exception {
    try (TestServer server = TestServer.open();
        var guests = server.forkd.guests) {
      Path file = folder.resolve("f");
      try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
        sparse.setLength(LENGTH);
      }
      String id = server.fork();
      String path = "/v1/sandboxes/%s/files?path=%s".formatted(id, file);
      try (Wire wire = server.unix()) {
        wire.request("GET", path, "");
        assertThat(wire.head().status()).isEqualTo(200);
        assertThat(wire.read(1000)).hasSize(1000);
        guests.end(SandboxId.of(id));
        assertThat(drained(wire)).isLessThan(LENGTH - 1000);
      }
      try (Wire wire = server.unix()) {
        wire.request("GET", path.replace("files?", "files/tar?"), "");
        assertThat(wire.head().header("transfer-encoding")).isEqualTo("chunked");
        wire.chunk();
        guests.end(SandboxId.of(id));
        assertThatThrownBy(wire::answerRest).isInstanceOf(EOFException.class);
      }
    }
  }

  private static long drained(Wire wire) throws IOException {
    byte[] buffer = new byte[64 << 10];
    long total = 0;
    for (int count = wire.read(buffer); count >= 0; count = wire.read(buffer)) {
      total += count;
    }
    return total;
  }

  @Test
  void aGuestThatDiesEndsAnUploadWithAnError() throws Exception {
    try (TestServer server = TestServer.open();
        var guests = server.forkd.guests) {
      String id = server.fork();
      String path = "/v1/sandboxes/%s/files?path=%s".formatted(id, folder.resolve("f"));
      try (Wire wire = server.tcp()) {
        wire.send(
            "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc"
                .formatted(path));
        while (!busy()) {
          Thread.sleep(5);
        }
        guests.end(SandboxId.of(id));
        wire.send(new byte[99_997]);
        assertThat(wire.answer().status()).isEqualTo(502);
      }
    }
  }

  /** Whether something of the upload is in the guest. */
  private boolean busy() throws IOException {
    try (var files = Files.list(folder)) {
      return files.findAny().isPresent();
    }
  }

  @Test
  void anUploadThatMovesSlowlyIsTakenAndOneThatStopsIsNot() throws Exception {
    try (TestServer server = TestServer.impatient(Duration.ofSeconds(1));
        var _ = server.forkd.guests) {
      Path file = folder.resolve("f");
      String path = "/v1/sandboxes/%s/files?path=%s".formatted(server.fork(), file);
      try (Wire wire = server.tcp()) {
        wire.send(
            "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n".formatted(path));
        for (int i = 0; i < 8; i++) {
          Thread.sleep(250);
          wire.send("x");
        }
        assertThat(wire.answer().status()).isEqualTo(200);
        assertThat(file).hasContent("xxxxxxxx");
      }
      try (Wire wire = server.tcp()) {
        wire.send(
            "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nyyy".formatted(path));
        assertThat(wire.answer().status()).isEqualTo(408);
        assertThat(file).hasContent("xxxxxxxx");
      }
    }
  }

  @Test
  void whatIsRefusedIsHeardByWhoSendsALot() throws Exception {
    try (TestServer server = TestServer.open();
        var _ = server.forkd.guests) {
      String path = "/v1/sandboxes/%s/files?path=%s".formatted(server.fork(), folder);
      try (Wire wire = server.tcp()) {
        wire.send(
            "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                .formatted(path, 4 << 20));
        wire.send(new byte[4 << 20]);
        Answer answer = wire.answer();
        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
      }
    }
  }
}

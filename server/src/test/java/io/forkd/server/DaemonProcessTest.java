package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DaemonProcessTest {
  @TempDir Path folder;

  @Test
  void startsServesAndStopsOnSigterm() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder, "--listen", "127.0.0.1:0")) {
      String ready = daemon.awaitReady();
      assertThat(ready).contains("pid=" + daemon.pid(), "socket=" + daemon.socket());
      assertThat(Files.readString(daemon.pidFile())).isEqualTo(daemon.pid() + "\n");
      assertThat(mode(daemon.socket())).isEqualTo("rw-------");
      assertThat(mode(daemon.run)).isEqualTo("rwx--x--x");
      assertThat(daemon.call("GET", "/v1/status", "").json().path("pid").asLong())
          .isEqualTo(daemon.pid());
      Matcher port = Pattern.compile("listen=127\\.0\\.0\\.1:(\\d+)").matcher(ready);
      assertThat(port.find()).isTrue();
      try (Wire wire = Wire.tcp(Integer.parseInt(port.group(1)))) {
        wire.request("GET", "/healthz", "");
        assertThat(wire.answer().status()).isEqualTo(200);
      }
      daemon.terminate();
      assertThat(daemon.awaitEnd()).as(daemon.output()).isEqualTo(128 + 15);
      assertThat(daemon.run).isEmptyDirectory();
      assertThat(daemon.output()).contains("Stopped; sandboxes go on running");
    }
  }

  @Test
  void stopsWhenAskedOverItsSocket() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder)) {
      daemon.awaitReady();
      assertThat(daemon.call("POST", "/v1/shutdown", "").status()).isEqualTo(202);
      assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
      assertThat(daemon.run).isEmptyDirectory();
    }
  }

  @Test
  void sigtermLetsARequestUnderWayFinish() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder)) {
      daemon.awaitReady();
      try (Wire wire = Wire.unix(daemon.socket())) {
        wire.request(
            "POST",
            "/v1/snapshots",
            "{\"tag\":\"slow\",\"recipe\":\"r\"}",
            "Accept: application/x-ndjson");
        wire.head();
        assertThat(wire.chunk()).contains("rootfs");
        daemon.terminate();
        assertThat(wire.answerRest()).contains("\"snapshot\"");
      }
      daemon.awaitEnd();
    }
  }

  @Test
  void twoDaemonsNeverShareADataFolder() throws Exception {
    try (DaemonProcess first = new DaemonProcess(folder)) {
      first.awaitReady();
      try (DaemonProcess second =
          new DaemonProcess(folder, "--socket", folder.resolve("other").toString())) {
        assertThat(second.awaitEnd()).isEqualTo(2);
        assertThat(second.output())
            .contains(
                "Another daemon (pid %d) uses the data folder %s"
                    .formatted(first.pid(), first.data));
      }
      assertThat(first.call("GET", "/healthz", "").status()).isEqualTo(200);
      assertThat(Files.readString(first.pidFile())).isEqualTo(first.pid() + "\n");
    }
  }

  @Test
  void aLiveSocketIsNotTakenOver() throws Exception {
    try (DaemonProcess first = new DaemonProcess(folder)) {
      first.awaitReady();
      Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
      try (DaemonProcess second =
          new DaemonProcess(elsewhere, "--socket", first.socket().toString())) {
        assertThat(second.awaitEnd()).isEqualTo(2);
        assertThat(second.output()).contains("Another daemon listens on " + first.socket());
      }
      assertThat(first.call("GET", "/healthz", "").status()).isEqualTo(200);
    }
  }

  @Test
  void replacesWhatAKilledDaemonLeftBehind() throws Exception {
    try (DaemonProcess first = new DaemonProcess(folder)) {
      first.awaitReady();
      first.kill();
      assertThat(first.socket()).exists();
      assertThat(first.pidFile()).exists();
    }
    try (DaemonProcess second = new DaemonProcess(folder)) {
      second.awaitReady();
      assertThat(second.call("GET", "/healthz", "").status()).isEqualTo(200);
      assertThat(Files.readString(second.pidFile())).isEqualTo(second.pid() + "\n");
    }
  }

  @Test
  void aFileThatIsNoSocketIsLeftAlone() throws Exception {
    Path precious = Files.writeString(folder.resolve("precious"), "data");
    try (DaemonProcess daemon = new DaemonProcess(folder, "--socket", precious.toString())) {
      assertThat(daemon.awaitEnd()).isEqualTo(2);
      assertThat(daemon.output()).contains("is not a socket");
    }
    assertThat(precious).hasContent("data");
  }

  @Test
  void refusesToListenToOtherHostsWithoutAToken() throws Exception {
    try (DaemonProcess daemon = new DaemonProcess(folder, "--listen", "0.0.0.0:0")) {
      assertThat(daemon.awaitEnd()).isEqualTo(2);
      assertThat(daemon.output()).contains("reachable from other hosts", "--token-file");
    }
  }

  @Test
  void aPortInUseEndsTheStartAndLeavesNothing() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        DaemonProcess daemon =
            new DaemonProcess(folder, "--listen", "127.0.0.1:" + taken.getLocalPort())) {
      assertThat(daemon.awaitEnd()).isEqualTo(1);
      assertThat(daemon.output()).contains("Cannot listen on", "in use");
      assertThat(daemon.run).isEmptyDirectory();
    }
  }

  @Test
  void refusesAPlaceholderToken() throws Exception {
    Path token = Secrets.write(folder.resolve("token"), "REPLACE_ME_WITH_A_TOKEN\n");
    try (DaemonProcess daemon = new DaemonProcess(folder, "--token-file", token.toString())) {
      assertThat(daemon.awaitEnd()).isEqualTo(2);
      assertThat(daemon.output()).contains("placeholder").doesNotContain("WITH_A_TOKEN");
      assertThat(daemon.run).doesNotExist();
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}

package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.linux.Child;
import io.forkd.linux.Memfd;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How memory is had of a QEMU that a test's script plays. */
@Timeout(30)
class PrecopyTest {
  private static final long GUEST = 2 * PageSink.PAGE;
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path temp;
  private final Memfd image = Memfd.create("image", GUEST);
  private Child process;
  private final List<String> done = new ArrayList<>();
  private final List<Long> told = new ArrayList<>();

  @BeforeEach
  void start() {
    image.seal();
    process =
        Spawn.of(Path.of("/bin/sleep"), List.of("1000"))
            .descriptor(image.fd(), QemuCommand.MEMORY_FD)
            .start();
  }

  @AfterEach
  void end() {
    process.kill(Signal.KILL);
    image.close();
  }

  private final PageSink sink =
      new PageSink() {
        @Override
        public void page(long offset, byte[] content) {
          told.add(offset);
        }

        @Override
        public void zero(long offset) {
          told.add(offset);
        }
      };

  private static ForgedStream head() {
    return new ForgedStream().head(GUEST).block("ram", GUEST).endOfPart();
  }

  /** A QEMU that does as it is told, and sends something once its guest runs on. */
  private final class Qemu implements FakeMonitor.Script {
    private final byte[] rest;
    private final boolean stops;
    private String migration = "none";
    private String guest = "running";

    Qemu(byte[] rest, boolean stops) {
      this.rest = rest;
      this.stops = stops;
    }

    @Override
    public void run(FakeMonitor monitor) throws Exception {
      monitor.welcome();
      try (SocketChannel stream = SocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
        while (true) {
          String line = monitor.hear();
          String command = line.replaceFirst(".*\"execute\":\"([^\"]+)\".*", "$1");
          done.add(command);
          String answer = FakeMonitor.DONE;
          switch (command) {
            case "stop" -> guest = "paused";
            case "migrate" -> {
              stream.connect(UnixDomainSocketAddress.of(temp.resolve("stream.sock")));
              stream.write(ByteBuffer.wrap(head().bytes()));
              migration = "active";
            }
            case "cont" -> guest = "running";
            case "migrate_cancel" -> migration = "cancelled";
            case "migrate-continue" -> migration = "completed";
            case "query-migrate" ->
                answer = "{\"return\": {\"status\": \"%s\"}}".formatted(migration);
            case "query-status" -> answer = "{\"return\": {\"status\": \"%s\"}}".formatted(guest);
            default -> {}
          }
          monitor.say(answer);
          if (command.equals("cont") && migration.equals("active")) {
            goesOn(monitor, stream);
          }
          if (command.equals("migrate-continue")) {
            send(stream);
          }
        }
      }
    }

    private void goesOn(FakeMonitor monitor, SocketChannel stream) throws IOException {
      if (stops) {
        guest = "finish-migrate";
        migration = "pre-switchover";
        monitor.say("{\"event\": \"STOP\", \"timestamp\": {\"seconds\": 1, \"microseconds\": 0}}");
        guest = "postmigrate";
      } else {
        send(stream);
      }
    }

    private void send(SocketChannel stream) throws IOException {
      stream.write(ByteBuffer.wrap(rest));
      stream.close();
    }
  }

  private MemoryCopy copy(byte[] rest, boolean stops) throws Exception {
    try (FakeMonitor _ = new FakeMonitor(temp.resolve("qmp.sock"), new Qemu(rest, stops));
        Qmp qmp = Qmp.connect(temp.resolve("qmp.sock"), LONG)) {
      VmSite site = new VmSite("forkd-test", temp, temp.resolve("vmm"), Optional.empty());
      return new Precopy(site, process, qmp, () -> done.add("saved")).run(GUEST, sink);
    }
  }

  private static byte[] pages() {
    return new ForgedStream()
        .footer()
        .part(2)
        .page("ram", 0, 1)
        .endOfPart()
        .footer()
        .part(3)
        .page("ram", PageSink.PAGE, 1)
        .endOfPart()
        .footer()
        .bytes();
  }

  @Test
  void theGuestStandsWhileTheWatchBeginsAndItsDevicesAreSavedBeforeItsLastPages() throws Exception {
    assertThat(copy(pages(), true)).isInstanceOf(MemoryCopy.Whole.class);
    assertThat(told).containsExactly(0L, (long) PageSink.PAGE);
    assertThat(done)
        .containsSubsequence("stop", "migrate", "cont", "saved", "migrate-continue")
        .doesNotContain("migrate_cancel");
    assertThat(done.lastIndexOf("cont")).isEqualTo(done.indexOf("cont"));
    assertThat(temp.resolve("stream.sock")).doesNotExist();
  }

  @Test
  void aForgedStreamIsAnErrorAndTheGuestGoesOn() {
    byte[] outside =
        new ForgedStream().footer().part(2).page("ram", GUEST, 1).endOfPart().footer().bytes();
    assertThatThrownBy(() -> copy(outside, false))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("a page at");
    assertThat(told).isEmpty();
    assertThat(done).containsSubsequence("migrate_cancel", "cont");
  }

  @Test
  void aStreamThatBreaksOffIsGivenUpAndTheGuestGoesOn() throws Exception {
    assertThat(copy(new ForgedStream().footer().bytes(), false))
        .isInstanceOf(MemoryCopy.GivenUp.class);
    assertThat(done).containsSubsequence("migrate_cancel", "cont");
  }

  @Test
  void memoryOfAGuestThatWasNotSeenToStopIsNoCopy() throws Exception {
    assertThat(copy(pages(), false))
        .isEqualTo(new MemoryCopy.GivenUp("QEMU sent all memory without stopping the guest"));
    assertThat(done.getLast()).isEqualTo("query-migrate");
    assertThat(done.lastIndexOf("cont")).isGreaterThan(done.indexOf("migrate_cancel"));
  }

  @Test
  void aVmmWithoutItsImageIsLeftAlone() throws Exception {
    process.kill(Signal.KILL);
    process = Spawn.of(Path.of("/bin/sleep"), List.of("1000")).start();
    assertThat(copy(pages(), true)).isInstanceOf(MemoryCopy.GivenUp.class);
    assertThat(done).doesNotContain("migrate", "stop");
  }
}

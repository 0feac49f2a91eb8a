package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plays a kernel with four CPUs, the first of which cannot go offline. */
@Timeout(120)
class OnlineCpusTest {
  @Test
  void bringsCpusOnlineAndOfflineFromTheLastOneOn() throws Exception {
    try (HostAgent host = HostAgent.isolated(1)) {
      Path cpus = makeCpus(host.root());
      try (Agent agent = host.connect()) {
        agent.setOnlineCpus(2, PATIENCE);
        assertThat(states(cpus)).isEqualTo("100");
        agent.setOnlineCpus(4, PATIENCE);
        assertThat(states(cpus)).isEqualTo("111");
        agent.setOnlineCpus(1, PATIENCE);
        assertThat(states(cpus)).isEqualTo("000");
        agent.setOnlineCpus(64, PATIENCE);
        assertThat(states(cpus)).isEqualTo("111");
      }
      host.assertCleanExit();
    }
  }

  @Test
  void saysWhichCpuTheKernelWouldNotSwitch() throws Exception {
    try (HostAgent host = HostAgent.isolated(1)) {
      Path cpus = makeCpus(host.root());
      Path stubborn = cpus.resolve("cpu2/online");
      Files.delete(stubborn);
      // Does not read as 1, and not even root may write it.
      Files.createSymbolicLink(stubborn, Path.of("/proc/sys/kernel/ngroups_max"));
      try (Agent agent = host.connect()) {
        assertFails(
            () -> agent.setOnlineCpus(4, PATIENCE),
            ErrorCode.GUEST_FAILED,
            "cannot bring CPU 2 online: Permission denied");
      }
      host.assertCleanExit();
    }
  }

  @Test
  void refusesToSwitchTheCpusOfTheMachineItIsTestedOn() throws Exception {
    try (HostAgent host = HostAgent.start()) {
      try (Agent agent = host.connect()) {
        assertFails(() -> agent.setOnlineCpus(1, PATIENCE), ErrorCode.NOT_FOUND, "outside a guest");
      }
      host.assertCleanExit();
    }
  }

  @Test
  void aGuestHasAtLeastOneCpu() throws Exception {
    try (FakeGuest guest = new FakeGuest()) {
      for (int count : new int[] {-1, 0, 65536}) {
        assertFails(
            () -> guest.agent().setOnlineCpus(count, PATIENCE), ErrorCode.BAD_REQUEST, "CPUs");
      }
    }
  }

  @Test
  void anAgentThatCannotSwitchCpusIsCalledOld() throws Exception {
    try (FakeGuest guest = new FakeGuest()) {
      guest.greet(guest.awaitHello());
      var _ =
          TcpServer.inBackground(
              () -> {
                Frame open = guest.awaitFrame(Protocol.OPEN);
                Payload reset = new Payload().u16(Protocol.ERROR_UNSUPPORTED).text("what?");
                guest.send(
                    new Frame(Protocol.RESET, 0, open.stream(), reset.toByteArray()).encode());
                return null;
              });
      assertFails(
          () -> guest.agent().setOnlineCpus(2, PATIENCE),
          ErrorCode.CONFLICT,
          "older than this forkd");
    }
  }

  private static Path makeCpus(Path root) throws IOException {
    Path cpus = Files.createDirectories(root.resolve("sys/devices/system/cpu"));
    for (int i = 0; i < 4; i++) {
      Path cpu = Files.createDirectory(cpus.resolve("cpu" + i));
      if (i > 0) {
        Files.writeString(cpu.resolve("online"), "1\n");
      }
    }
    return cpus;
  }

  private static String states(Path cpus) {
    return IntStream.range(1, 4)
        .mapToObj(i -> readFirst(cpus.resolve("cpu%d/online".formatted(i))))
        .collect(Collectors.joining());
  }

  private static String readFirst(Path file) {
    try {
      return Files.readString(file).substring(0, 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertFails(ThrowingCallable call, ErrorCode code, String said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(said);
  }
}

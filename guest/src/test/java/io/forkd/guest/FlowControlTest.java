package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A host that reads slowly holds up the process it reads from and nothing else. */
@Timeout(120)
class FlowControlTest {
  private static final int TOTAL = 8_000_000;

  @Test
  void sendsNoMoreThanTheWindowAndAnswersOthersMeanwhile() throws Exception {
    try (HostAgent agent = HostAgent.start()) {
      try (RawHost host = new RawHost(agent)) {
        host.send(Protocol.OPEN, 1, exec(0, "head", "-c", Integer.toString(TOTAL), "/dev/zero"));
        long received = host.takeData(Protocol.INITIAL_WINDOW);
        assertThat(received).isEqualTo(Protocol.INITIAL_WINDOW);
        assertAnswersPing(host);
        while (received < TOTAL) {
          host.send(Protocol.WINDOW, 1, new Payload().i32(100_000));
          long wanted = Math.min(TOTAL - received, 100_000);
          assertThat(host.takeData(wanted)).isEqualTo(wanted);
          received += wanted;
        }
        assertThat(host.next().type()).isEqualTo(Protocol.RESULT);
      }
      agent.assertCleanExit();
    }
  }

  @Test
  void anInspectionThatWaitsForItsHostHoldsUpNobody() throws Exception {
    try (HostAgent agent = HostAgent.isolated(2)) {
      Files.write(agent.root().resolve("large"), new byte[TOTAL]);
      try (RawHost host = new RawHost(agent)) {
        host.send(Protocol.OPEN, 1, exec(1, "cat"));
        Payload read = new Payload().u8(Protocol.KIND_READ).text("/large").i64(TOTAL);
        host.send(Protocol.OPEN, 2, read);
        assertThat(host.takeData(Protocol.INITIAL_WINDOW)).isEqualTo(Protocol.INITIAL_WINDOW);
        assertAnswersPing(host);
        // The helper that waits has none of the pipes of others: cat sees the end of its input.
        host.send(Protocol.EOF, 1, new Payload());
        assertThat(host.nextOf(1).type()).isEqualTo(Protocol.RESULT);
        host.send(Protocol.CANCEL, 2, new Payload());
        assertThat(host.nextOf(2).type()).isEqualTo(Protocol.RESET);
        host.send(Protocol.OPEN, 3, read);
        host.takeData(Protocol.INITIAL_WINDOW);
        assertThat(agent.hasChildren()).isTrue();
      }
      // Nobody is left to listen to it, so it ends.
      try (RawHost _ = new RawHost(agent)) {
        Deadline deadline = Deadline.in(HostAgent.PATIENCE);
        while (agent.hasChildren()) {
          assertThat(deadline.passed()).isFalse();
          HostAgent.sleep();
        }
      }
      agent.assertCleanExit();
    }
  }

  private static void assertAnswersPing(RawHost host) throws IOException {
    host.send(Protocol.PING, 0, new Payload().i64(42));
    assertThat(host.next().type()).isEqualTo(Protocol.PONG);
  }

  private static Payload exec(int flags, String... args) {
    return new Payload()
        .u8(Protocol.KIND_EXEC)
        .u8(flags)
        .texts(List.of(args))
        .texts(List.of())
        .text("");
  }
}

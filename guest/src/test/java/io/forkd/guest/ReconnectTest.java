package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A new host connection finds an agent that is in the middle of something, as after a fork. */
class ReconnectTest {
  @Test
  void servesANewConnectionWhileAnOldOnesOutputIsStuck() throws Exception {
    try (HostAgent host = HostAgent.start(2)) {
      try (SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(host.socket()))) {
        send(silent, new byte[] {0});
        send(
            silent,
            new Frame(Protocol.HELLO, 0, 0, new Payload().u16(1).i64(1).toByteArray()).encode());
        send(silent, openExec(1, "cat /dev/zero").encode());
        send(
            silent,
            openExec(2, "head -c 500000 /dev/zero; touch " + host.root() + "/done").encode());
        assertThat(silent.read(ByteBuffer.allocate(1))).isPositive();
        // Half a frame, so that the agent's decoder is in the middle of one as well.
        send(silent, new byte[] {40, 1, 2, 3});
      }
      try (Agent agent = host.connect()) {
        assertThat(agent.ping(PATIENCE).pid()).isPositive();
        // The old process goes on with its output discarded.
        Deadline deadline = Deadline.in(PATIENCE);
        while (!Files.exists(host.root().resolve("done"))) {
          assertThat(deadline.passed()).isFalse();
          HostAgent.sleep();
        }
        assertThat(agent.exec(ExecRequest.of(List.of("echo", "x"), PATIENCE)).stdout())
            .isEqualTo("x\n");
      }
      host.assertCleanExit();
    }
  }

  @Test
  void keepsARuntimesStateAcrossConnections() throws Exception {
    try (HostAgent host = HostAgent.start(3)) {
      try (Agent agent = host.connect()) {
        agent.eval("kept = 5", PATIENCE);
      }
      try (SocketChannel rude = SocketChannel.open(UnixDomainSocketAddress.of(host.socket()))) {
        send(rude, new byte[] {0});
        send(
            rude,
            new Frame(Protocol.HELLO, 0, 0, new Payload().u16(1).i64(1).toByteArray()).encode());
        // Announces more code than it sends: the agent must not leave the runtime waiting for it.
        Payload eval =
            new Payload()
                .u8(Protocol.KIND_EVAL)
                .text("python")
                .i32(100_000)
                .raw(new byte[10], 0, 10);
        send(rude, new Frame(Protocol.OPEN, 0, 1, eval.toByteArray()).encode());
        send(rude, new Frame(Protocol.PING, 0, 0, new Payload().i64(1).toByteArray()).encode());
        assertThat(rude.read(ByteBuffer.allocate(1))).isPositive();
      }
      try (Agent agent = host.connect()) {
        assertThat(agent.awaitHello(PATIENCE).startedRuntimes()).contains("python");
        assertThat(agent.eval("kept", PATIENCE).result()).contains("5");
      }
      host.assertCleanExit();
    }
  }

  private static Frame openExec(int stream, String command) {
    Payload payload =
        new Payload()
            .u8(Protocol.KIND_EXEC)
            .u8(0)
            .texts(List.of("sh", "-c", command))
            .texts(List.of())
            .text("");
    return new Frame(Protocol.OPEN, 0, stream, payload.toByteArray());
  }

  private static void send(SocketChannel channel, byte[] wire) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(wire);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}

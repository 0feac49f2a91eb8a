package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A connection to QEMU's monitor. Commands run one at a time, from any thread; a virtual thread
 * reads answers, so that no command waits longer than its deadline even if QEMU hangs.
 */
final class Qmp implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration DEFAULT_WAIT = Duration.ofSeconds(30);

  /** What the reader has for those who wait. */
  private sealed interface Answer {
    record Message(JsonNode json) implements Answer {}

    /** The connection is over. */
    record End() implements Answer {}
  }

  private final SocketChannel channel;
  private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(16);

  private Qmp(SocketChannel channel) {
    this.channel = channel;
  }

  /** Connects to a listening socket; QEMU may still be starting behind it. */
  static Qmp connect(Path socket, Duration wait) {
    try {
      SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
      Qmp qmp = new Qmp(channel);
      Thread.ofVirtual().name("qmp " + socket).start(qmp::readAnswers);
      try {
        qmp.await("the greeting", wait);
        qmp.execute("qmp_capabilities", Map.of(), wait);
        return qmp;
      } catch (ForkdException e) {
        qmp.close();
        throw e;
      }
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED, "cannot connect to QEMU's monitor at " + socket, e);
    }
  }

  JsonNode execute(String command) {
    return execute(command, Map.of(), DEFAULT_WAIT);
  }

  JsonNode execute(String command, Map<String, ?> arguments) {
    return execute(command, arguments, DEFAULT_WAIT);
  }

  synchronized JsonNode execute(String command, Map<String, ?> arguments, Duration wait) {
    byte[] line =
        (JSON.writeValueAsString(Map.of("execute", command, "arguments", arguments)) + "\n")
            .getBytes(StandardCharsets.UTF_8);
    try {
      ByteBuffer buffer = ByteBuffer.wrap(line);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED, "QEMU's monitor closed before '%s'".formatted(command), e);
    }
    JsonNode answer = await(command, wait);
    JsonNode error = answer.get("error");
    if (error != null) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "QEMU refused '%s': %s"
              .formatted(command, error.path("desc").asString("no reason given")));
    }
    return answer.path("return");
  }

  private JsonNode await(String what, Duration wait) {
    Answer answer = nextAnswer(wait).orElseThrow(() -> silent(what, wait));
    return switch (answer) {
      case Answer.Message(JsonNode json) -> json;
      case Answer.End end -> {
        answers.offer(end);
        throw new ForkdException(ErrorCode.GUEST_FAILED, "QEMU ended during '%s'".formatted(what));
      }
    };
  }

  private Optional<Answer> nextAnswer(Duration wait) {
    try {
      return Optional.ofNullable(answers.poll(wait.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw new ForkdException(ErrorCode.INTERNAL, "interrupted while waiting for QEMU", e);
    }
  }

  /** A late answer would be taken for the next command's, so this connection is over. */
  private ForkdException silent(String what, Duration wait) {
    close();
    return new ForkdException(
        ErrorCode.TIMEOUT,
        "QEMU did not answer '%s' within %d s".formatted(what, wait.toSeconds()));
  }

  private void readAnswers() {
    try (BufferedReader reader =
        new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
      String line;
      while ((line = reader.readLine()) != null) {
        JsonNode message = JSON.readTree(line);
        if (!message.has("event")) {
          answers.put(new Answer.Message(message));
        }
      }
    } catch (IOException | JacksonException e) {
      // The queue's end mark below tells whoever waits.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      answers.offer(new Answer.End());
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is left to release.
    }
  }
}

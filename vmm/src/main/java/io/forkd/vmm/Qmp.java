package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

  /** Far above the longest answer there is, the console's, and far below what would hurt us. */
  private static final int LONGEST_LINE = 4 << 20;

  /** An event is read when it comes; one that seems older than this was dated by another clock. */
  private static final Duration OLDEST_EVENT = Duration.ofSeconds(10);

  /** What the reader has for those who wait. */
  private sealed interface Answer {
    record Message(JsonNode json) implements Answer {}

    /** The connection is over, and why. */
    record End(String reason) implements Answer {}
  }

  private final SocketChannel channel;
  private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(16);
  private volatile Runnable onGuestStop = () -> {};
  private volatile CompletableFuture<Long> nextStop = new CompletableFuture<>();

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

  /** Has something done, by a thread of its own, when the guest stops itself. */
  void onGuestStop(Runnable action) {
    onGuestStop = action;
  }

  /** Completes when the guest next comes to stand, with the time by {@link System#nanoTime}. */
  CompletableFuture<Long> nextStop() {
    CompletableFuture<Long> stop = new CompletableFuture<>();
    nextStop = stop;
    return stop;
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
    JsonNode result = answer.get("return");
    if (result == null) {
      close();
      throw new ForkdException(
          ErrorCode.GUEST_FAILED, "QEMU answered '%s' with nonsense".formatted(command));
    }
    return result;
  }

  private JsonNode await(String what, Duration wait) {
    Answer answer = nextAnswer(wait).orElseThrow(() -> silent(what, wait));
    return switch (answer) {
      case Answer.Message(JsonNode json) -> json;
      case Answer.End end -> {
        answers.offer(end);
        throw new ForkdException(
            ErrorCode.GUEST_FAILED, "%s during '%s'".formatted(end.reason(), what));
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

  /** Whoever has taken over QEMU may send anything: neither its length nor its number grows us. */
  private void readAnswers() {
    String end = "QEMU ended";
    try (Reader reader = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
      String line;
      while ((line = readLine(reader)) != null) {
        JsonNode message = JSON.readTree(line);
        if (message.has("event")) {
          heed(message);
        } else if (!answers.offer(new Answer.Message(message))) {
          end = "QEMU answered what nobody had asked";
          break;
        }
      }
    } catch (JacksonException e) {
      end = "QEMU spoke nonsense";
    } catch (IOException e) {
      end = "the connection to QEMU broke";
    } finally {
      Answer last = new Answer.End(end);
      while (!answers.offer(last)) {
        answers.poll();
      }
    }
  }

  private void heed(JsonNode event) {
    switch (event.path("event").asString("")) {
      case "SHUTDOWN" -> {
        if (event.path("data").path("guest").asBoolean(false)) {
          Thread.startVirtualThread(onGuestStop);
        }
      }
      case "STOP" -> nextStop.complete(System.nanoTime() - age(event).toNanos());
      default -> {}
    }
  }

  /** How long ago an event was, by QEMU's word as far as that can be. */
  private static Duration age(JsonNode event) {
    JsonNode time = event.path("timestamp");
    Instant then =
        Instant.ofEpochSecond(time.path("seconds").asLong(0))
            .plus(time.path("microseconds").asInt(0), ChronoUnit.MICROS);
    Duration age = Duration.between(then, Instant.now());
    return age.isNegative() || age.compareTo(OLDEST_EVENT) > 0 ? Duration.ZERO : age;
  }

  private static @Nullable String readLine(Reader reader) throws IOException {
    StringBuilder line = new StringBuilder();
    int next;
    while ((next = reader.read()) >= 0) {
      if (next == '\n') {
        return line.toString();
      }
      if (line.length() == LONGEST_LINE) {
        throw new IOException("a line is longer than %d characters".formatted(LONGEST_LINE));
      }
      line.append((char) next);
    }
    return null;
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

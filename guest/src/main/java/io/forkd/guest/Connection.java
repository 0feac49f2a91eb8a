package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The frames between one agent and any number of callers.
 *
 * <p>One virtual thread reads. Callers write by themselves, a frame at a time. Whatever ends the
 * connection ends every call on it at once.
 */
final class Connection {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String guest;
  private final SocketChannel channel;
  private final long nonce = RANDOM.nextLong();
  private final ReentrantLock writing = new ReentrantLock();
  private final StallGuard stallGuard = new StallGuard(this::stalled);
  private final AtomicInteger nextStream = new AtomicInteger(1);
  private final AtomicLong nextToken = new AtomicLong(1);
  private final Map<Integer, GuestStream> streams = new ConcurrentHashMap<>();
  private final Map<Long, CompletableFuture<Frame>> questions = new ConcurrentHashMap<>();
  private final CompletableFuture<AgentInfo> greeting = new CompletableFuture<>();
  private final CloseListeners closing = new CloseListeners();
  private final AtomicReference<@Nullable ForkdException> broken = new AtomicReference<>();

  /** What the last question about it found, for the next to compare with. */
  final AtomicReference<MetricsCall.CpuTime> lastCpuTime =
      new AtomicReference<>(MetricsCall.CpuTime.AT_BOOT);

  Connection(String guest, SocketChannel channel) {
    this.guest = guest;
    this.channel = channel;
  }

  /** Greets the agent without waiting for its answer and starts to read. */
  void start() {
    byte[] hello =
        new Frame(
                Protocol.HELLO, 0, 0, new Payload().u16(Protocol.VERSION).i64(nonce).toByteArray())
            .encode();
    byte[] wire = new byte[hello.length + 1];
    System.arraycopy(hello, 0, wire, 1, hello.length);
    write(wire);
    Thread.ofVirtual().name("agent of " + guest).start(this::read);
  }

  /** Ends with the agent's answer to HELLO; giving up on it leaves the connection as it is. */
  CompletableFuture<AgentInfo> greeting() {
    return greeting.copy();
  }

  /** What people know the guest by. */
  String guest() {
    return guest;
  }

  /** Asks a control question; the future ends with the agent's answer or with the connection. */
  CompletableFuture<Frame> ask(int type, Payload afterToken) {
    long token = nextToken.getAndIncrement();
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    questions.put(token, answer);
    // Also when the caller gives up and cancels it.
    var _ = answer.whenComplete((frame, failure) -> questions.remove(token));
    byte[] rest = afterToken.toByteArray();
    Payload payload = new Payload().i64(token).raw(rest, 0, rest.length);
    send(new Frame(type, 0, 0, payload.toByteArray()));
    ForkdException end = broken.get();
    if (end != null) {
      answer.completeExceptionally(end);
    }
    return answer;
  }

  GuestStream open(byte[] openPayload) {
    if (openPayload.length > Frame.MAX_PAYLOAD) {
      throw ForkdException.badRequest(
          "The arguments and environment are %d bytes, more than the %d the guest takes: pass long"
              + " input on stdin or in a file.",
          openPayload.length, Frame.MAX_PAYLOAD);
    }
    GuestStream stream;
    writing.lock();
    try {
      // Numbers must reach the agent in rising order, so they are given out under the write lock.
      stream = new GuestStream(this, nextStream.getAndIncrement());
      streams.put(stream.id(), stream);
      send(new Frame(Protocol.OPEN, 0, stream.id(), openPayload));
    } finally {
      writing.unlock();
    }
    ForkdException end = broken.get();
    if (end != null) {
      stream.end(new Outcome.Broken(end));
    }
    return stream;
  }

  void forget(GuestStream stream) {
    streams.remove(stream.id());
  }

  void send(Frame frame) {
    write(frame.encode());
  }

  void sendQuietly(Frame frame) {
    if (broken.get() == null) {
      try {
        send(frame);
      } catch (ForkdException e) {
        // The connection is gone and so is whatever this frame was about.
      }
    }
  }

  private void write(byte[] wire) {
    ForkdException end = broken.get();
    if (end != null) {
      throw again(end);
    }
    // A caller that is interrupted still says what it has to: an interrupted write would end the
    // connection for all.
    boolean interrupted = Thread.interrupted();
    writing.lock();
    try {
      stallGuard.begin();
      ByteBuffer bytes = ByteBuffer.wrap(wire);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      fail("cannot write to it: " + e.getMessage(), e);
      throw again(broken.get());
    } finally {
      stallGuard.end();
      writing.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Reads an answer; nonsense in it ends the connection. */
  <T> T reading(Agent.Reading<T> reading) {
    try {
      return reading.read();
    } catch (NonsenseException e) {
      fail("the agent does not keep to the protocol: " + e.getMessage(), e);
      throw again(broken.get());
    }
  }

  private void stalled() {
    fail("it took no byte for %d seconds".formatted(StallGuard.LIMIT.toSeconds()), null);
  }

  private void read() {
    Cobs.Decoder decoder = new Cobs.Decoder(Frame.MAX_FRAME);
    ByteBuffer bytes = ByteBuffer.allocate(64 * 1024);
    try {
      while (channel.read(bytes.clear()) >= 0) {
        bytes.flip();
        while (bytes.hasRemaining()) {
          take(decoder, bytes);
        }
      }
      fail("the connection ended", null);
    } catch (IOException e) {
      fail("the connection broke: " + e.getMessage(), e);
    } catch (NonsenseException e) {
      fail("the agent does not keep to the protocol: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      fail("reading from it failed: " + e, e);
    }
  }

  private void take(Cobs.Decoder decoder, ByteBuffer bytes) throws NonsenseException {
    switch (decoder.take(bytes)) {
      case MORE -> {}
      case BAD -> {
        if (greeting.isDone()) {
          throw new NonsenseException("a frame is torn or too long");
        }
      }
      case FRAME -> {
        if (greeting.isDone()) {
          dispatch(Frame.parse(decoder.frame()));
        } else {
          awaitGreeting(decoder.frame());
        }
      }
    }
  }

  /** Before the answer to our HELLO everything is an echo of an earlier connection. */
  private void awaitGreeting(byte[] plain) throws NonsenseException {
    Frame frame;
    try {
      frame = Frame.parse(plain);
      if (frame.type() != Protocol.HELLO_ACK || new Fields(frame.payload()).i64() != nonce) {
        return;
      }
    } catch (NonsenseException e) {
      return;
    }
    AgentInfo info = Answers.hello(frame);
    if (info.protocolVersion() != Protocol.VERSION) {
      throw new NonsenseException(
          "it speaks version %d, this forkd speaks %d: make the snapshot again with this forkd"
              .formatted(info.protocolVersion(), Protocol.VERSION));
    }
    greeting.complete(info);
  }

  private void dispatch(Frame frame) throws NonsenseException {
    if (frame.stream() != 0) {
      GuestStream stream = streams.get(frame.stream());
      if (stream == null && frame.stream() >= nextStream.get()) {
        throw new NonsenseException("a message for a stream that was never opened");
      }
      if (stream != null && stream.take(frame)) {
        streams.remove(frame.stream());
      }
      return;
    }
    if (frame.type() == Protocol.GOODBYE) {
      Fields fields = new Fields(frame.payload());
      var _ = fields.u16();
      throw new NonsenseException("the agent says so of us: " + fields.text());
    }
    CompletableFuture<Frame> question = questions.remove(new Fields(frame.payload()).i64());
    if (question != null) {
      question.complete(frame);
    }
  }

  /** Ends the connection and every call on it; only the first reason counts. */
  void fail(String reason, @Nullable Throwable cause) {
    ForkdException end =
        new ForkdException(
            ErrorCode.GUEST_FAILED,
            "Lost the agent of %s: %s. `forkd ls` shows whether it runs; `forkd ls --ended` why not."
                .formatted(guest, reason),
            cause);
    if (!broken.compareAndSet(null, end)) {
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      // It is being given up anyway.
    }
    greeting.completeExceptionally(end);
    questions.values().forEach(question -> question.completeExceptionally(end));
    streams.values().forEach(stream -> stream.end(new Outcome.Broken(end)));
    closing.closed();
  }

  boolean isBroken() {
    return broken.get() != null;
  }

  void onClosed(Runnable listener) {
    closing.add(listener);
  }

  /** The same failure with the stack of the caller that meets it. */
  static ForkdException again(@Nullable ForkdException end) {
    if (end == null) {
      return new ForkdException(ErrorCode.GUEST_FAILED, "Lost the agent.");
    }
    return new ForkdException(end.code(), String.valueOf(end.getMessage()), end);
  }
}

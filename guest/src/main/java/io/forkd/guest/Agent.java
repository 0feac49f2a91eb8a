package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The host's end of the channel to one guest's agent.
 *
 * <p>Any number of threads may call. Every call has a deadline, and the end of the connection ends
 * all calls at once with {@link ErrorCode#GUEST_FAILED}.
 */
public final class Agent implements Inside, AutoCloseable {
  private static final int MOST_CPUS = 0xffff;

  private final Connection connection;

  private Agent(Connection connection) {
    this.connection = connection;
  }

  /**
   * Connects to the socket of a guest's channel and greets the agent without waiting for it; calls
   * made before it answers are queued behind the greeting.
   */
  public static Agent open(Path unixSocket) {
    String guest = GuestNames.of(unixSocket);
    try {
      SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(unixSocket));
      Connection connection = new Connection(guest, channel);
      connection.start();
      return new Agent(connection);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "Cannot connect to the agent of %s: %s. The sandbox's VMM is probably gone."
              .formatted(guest, e.getMessage()),
          e);
    }
  }

  /** Waits until the agent has answered the greeting. */
  public AgentInfo awaitHello(Duration timeout) {
    return await(connection.greeting().copy(), Deadline.in(timeout), "greeting");
  }

  /** Asks for a sign of life. */
  public Pong ping(Duration timeout) {
    long start = System.nanoTime();
    Frame answer = ask(Protocol.PING, new Payload(), Deadline.in(timeout), "ping");
    Duration roundTrip = Duration.ofNanos(System.nanoTime() - start);
    return read(
        () -> {
          Fields fields = Answers.body(answer, Protocol.PONG);
          Pong pong =
              new Pong(fields.i32() & 0xffffffffL, Duration.ofNanos(fields.i64()), roundTrip);
          fields.end();
          return pong;
        });
  }

  /** Runs a program to its end, or kills its process group when its time is up. */
  public ExecResult exec(ExecRequest request) {
    return new ExecCall(connection, request).run();
  }

  /** Starts and warms a runtime; returns at once when it already runs. */
  public void startRuntime(String name, Duration timeout) {
    new RuntimeCall(connection, name, timeout).start();
  }

  /**
   * Evaluates Python code in the guest's warm interpreter, which keeps its state between calls.
   *
   * <p>Code that runs longer than the timeout is interrupted and the call fails with {@link
   * ErrorCode#TIMEOUT}; the message says whether the interpreter's state survived.
   */
  public EvalResult eval(String code, Duration timeout) {
    return new RuntimeCall(connection, "python", timeout).eval(code);
  }

  /**
   * Makes a freshly restored child itself: clock, entropy, names, runtimes, hooks. Does not need
   * {@link #awaitHello} first. Whatever the agent cannot do or prove fails the call.
   */
  public ForkProof identify(ForkIdentity identity, Duration timeout) {
    return new IdentifyCall(this, identity, Deadline.in(timeout)).run();
  }

  /**
   * Brings a child that has been paused since its handshake into the present. It keeps what made it
   * itself, which no other has; only its clock stood still.
   *
   * @return the proof with what is true of its clock now
   */
  public ForkProof wake(ForkProof proof, Duration timeout) {
    ClockCall.Setting clock = new ClockCall(this, Deadline.in(timeout)).set();
    if (!clock.allowed()) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "Refused to hand out %s: its clock is %d ms off."
              .formatted(proof.hostname(), clock.errorMs()));
    }
    return proof.withClock(clock.errorMs(), clock.stepMs());
  }

  @Override
  public ProcessTable processes() {
    return new AgentProcesses(connection);
  }

  @Override
  public FileTree files(Optional<String> user) {
    return new AgentFiles(connection, user);
  }

  @Override
  public Interpreter interpreter() {
    return new AgentInterpreter(connection);
  }

  @Override
  public GuestMetrics metrics(Duration timeout) {
    return new MetricsCall(connection, Deadline.in(timeout)).run();
  }

  @Override
  public void setEnvironment(Map<String, String> variables, Duration timeout) {
    List<String> entries =
        variables.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
    Frame answer =
        ask(Protocol.SET_ENV, new Payload().texts(entries), Deadline.in(timeout), "environment");
    read(
        () -> {
          Answers.body(answer, Protocol.ENV_SET).end();
          return answer;
        });
  }

  /** Has the guest write out what it buffers, before a snapshot is taken. */
  public void quiesce(Duration timeout) {
    Frame answer = ask(Protocol.QUIESCE, new Payload(), Deadline.in(timeout), "quiesce");
    read(
        () -> {
          Answers.body(answer, Protocol.QUIESCED).end();
          return answer;
        });
  }

  /**
   * Everything that was written in the guest since it booted: what its overlay holds above the
   * image, what is gone from the image, and every tmpfs. forkd's own files are left out. Of a path
   * that is told twice, the later entry counts. The guest goes on meanwhile, so this is no
   * snapshot.
   */
  public List<GuestEntry> changedFiles(Duration timeout) {
    return new Inspection(connection, Deadline.in(timeout)).files(false);
  }

  /** Every file of the guest's root file system and its tmpfs, whether it was written or not. */
  public List<GuestEntry> allFiles(Duration timeout) {
    return new Inspection(connection, Deadline.in(timeout)).files(true);
  }

  /**
   * What is at these very paths now, in their order; those where nothing is are left out. Symlinks
   * are not followed, not even on the way.
   */
  public List<GuestEntry> describe(List<String> paths, Duration timeout) {
    return new Inspection(connection, Deadline.in(timeout)).describe(paths);
  }

  /**
   * The content of a regular file. One with more than {@code most} bytes, anything that is no
   * regular file, and a path where nothing is fail with {@link ErrorCode#NOT_FOUND}.
   */
  public byte[] readFile(String path, long most, Duration timeout) {
    return new Inspection(connection, Deadline.in(timeout)).read(path, most);
  }

  /** Every process of the guest but the kernel's threads and the dead. */
  public List<GuestProcess> processes(Duration timeout) {
    return new Inspection(connection, Deadline.in(timeout)).processes();
  }

  /**
   * Connects to a TCP port on the guest's loopback, IPv4 or else IPv6; needs no network. Where
   * nothing listens the call fails with {@link ErrorCode#GUEST_FAILED}, at too many connections
   * with {@link ErrorCode#FULL}.
   */
  public GuestSocket connect(int port, Duration timeout) {
    return new ConnectCall(connection, port, Deadline.in(timeout)).run();
  }

  /**
   * Lets the guest use this many of its CPUs, or all when it has fewer: what {@code nproc} says in
   * it. An agent that is too old for this fails with {@link ErrorCode#CONFLICT}.
   */
  public void setOnlineCpus(int count, Duration timeout) {
    if (count < 1 || count > MOST_CPUS) {
      throw ForkdException.badRequest(
          "A guest cannot use %d CPUs: give 1 to %d.", count, MOST_CPUS);
    }
    Payload open = new Payload().u8(Protocol.KIND_CPUS).u16(count);
    new InspectCall(connection, "use %d CPUs".formatted(count), Deadline.in(timeout))
        .run(
            open,
            new byte[0],
            data -> {
              throw new NonsenseException("it told something nobody asked for");
            });
  }

  /** Whether the connection has ended; a new one may still find the agent well. */
  public boolean isClosed() {
    return connection.isBroken();
  }

  /** Has something run once when the connection ends, or at once when it has ended. */
  public void onClosed(Runnable listener) {
    connection.onClosed(listener);
  }

  @Override
  public void close() {
    connection.fail("the sandbox ended, was paused or rolled back, or the daemon stopped", null);
  }

  Frame ask(int type, Payload payload, Deadline deadline, String what) {
    return await(connection.ask(type, payload), deadline, what);
  }

  private <T> T await(CompletableFuture<T> answer, Deadline deadline, String what) {
    try {
      return answer.get(Math.max(0, deadline.nanosLeft()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw new ForkdException(
          ErrorCode.TIMEOUT,
          "The agent of %s did not answer the %s in time: the guest is stuck, starved or not up yet."
              .formatted(connection.guest(), what),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(
          ErrorCode.TIMEOUT, "Interrupted while waiting for the agent's %s.".formatted(what), e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ForkdException known
          ? Connection.again(known)
          : new ForkdException(ErrorCode.INTERNAL, "The %s failed: %s".formatted(what, e), e);
    }
  }

  /** Something that reads an answer. */
  interface Reading<T> {
    T read() throws NonsenseException;
  }

  /** Reads an answer; nonsense in it ends the connection. */
  <T> T read(Reading<T> reading) {
    return connection.reading(reading);
  }
}

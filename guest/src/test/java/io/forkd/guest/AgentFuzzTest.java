package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Throws seeded nonsense at a sanitized agent; afterwards it must serve as if nothing had been. */
class AgentFuzzTest {
  private static final int[] TYPES = {
    1, 2, 3, 4, 5, 7, 9, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 200
  };

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void servesOnAfterRandomBytes(long seed) throws Exception {
    Random random = new Random(seed);
    fuzz(HostAgent.start(2), () -> CobsTest.randomBytes(random, 1 + random.nextInt(3000)), 3000);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16})
  void servesOnAfterRandomFrames(long seed) throws Exception {
    Random random = new Random(seed);
    fuzz(HostAgent.withOwnNetwork(2), () -> randomFrame(random).encode(), 5000);
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void servesOnAfterMutatedFrames(long seed) throws Exception {
    Random random = new Random(seed);
    fuzz(HostAgent.withOwnNetwork(2), () -> mutate(random, sensibleFrame(random).encode()), 3000);
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32})
  void servesOnAfterMutatedIdentities(long seed) throws Exception {
    Random random = new Random(seed);
    fuzz(HostAgent.isolated(2), () -> identify(random).encode(), 3000);
  }

  /** Orders to processes by those who have just started some, with a byte wrong here and there. */
  @ParameterizedTest
  @ValueSource(longs = {41, 42, 43, 44})
  void servesOnAfterMutatedProcesses(long seed) throws Exception {
    Random random = new Random(seed);
    int[] stream = {0};
    fuzz(
        HostAgent.isolated(2),
        () -> {
          // Numbers rise between two greetings, so that most of these are taken.
          stream[0] = stream[0] % 8 + 1;
          byte[] wire = processFrame(random, stream[0]).encode();
          return random.nextInt(20) == 0 ? mutate(random, wire) : wire;
        },
        3000);
  }

  private static Frame processFrame(Random random, int stream) {
    int earlier = 1 + random.nextInt(stream);
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> open(stream, process(random));
      case 3 -> open(stream, about(Protocol.KIND_ATTACH, random).u8(random.nextInt(2)));
      case 4, 5 -> open(stream, control(random));
      case 6 -> new Frame(Protocol.DATA, 0, earlier, CobsTest.randomBytes(random, 5000));
      case 7 -> new Frame(Protocol.EOF, 0, earlier, new byte[0]);
      case 8 -> new Frame(Protocol.CANCEL, 0, earlier, new byte[0]);
      default -> new Frame(Protocol.RESET, 0, earlier, new Payload().u16(5).text("").toByteArray());
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {41, 42, 43})
  void servesOnAfterMutatedQuestionsAboutFiles(long seed) throws Exception {
    Random random = new Random(seed);
    fuzz(HostAgent.withSmallDisks(2), () -> aboutFiles(random).encode(), 1500);
  }

  /** Whatever becomes of it, it can touch only what is in the small file systems of that agent. */
  private static Frame aboutFiles(Random random) {
    int stream = 1 + random.nextInt(400);
    if (random.nextInt(3) == 0) {
      int type =
          List.of(Protocol.DATA, Protocol.EOF, Protocol.CANCEL, Protocol.RESET)
              .get(random.nextInt(4));
      return new Frame(type, 0, stream, CobsTest.randomBytes(random, random.nextInt(3000)));
    }
    int operation = random.nextInt(13);
    boolean changes = operation >= 3 && operation != 7 && operation != 9 && operation != 10;
    String path = changes ? "/mnt/" + "a/".repeat(random.nextInt(3)) + "f" : "/etc/passwd";
    Payload question =
        new Payload()
            .u8(random.nextInt(12) == 0 ? Protocol.KIND_METRICS : Protocol.KIND_FILE)
            .u8(operation)
            .text(random.nextInt(4) == 0 ? "nobody" : "")
            .bytes(path.getBytes(StandardCharsets.UTF_8));
    if (operation == 4) {
      question.text("/srv/" + random.nextInt(3));
    }
    byte[] rest = CobsTest.randomBytes(random, random.nextInt(40));
    boolean exact = random.nextBoolean();
    byte[] fitting = new byte[List.of(0, 0, 4, 0, 0, 0, 13, 16, 7, 1, 0, 0, 0).get(operation)];
    return open(
        stream, question.raw(exact ? fitting : rest, 0, exact ? fitting.length : rest.length));
  }

  /** Makes the next piece of input. */
  interface Source {
    byte[] next();
  }

  static void fuzz(HostAgent host, Source source, int count) throws Exception {
    try (host) {
      try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(host.socket()))) {
        Thread drain = Thread.ofVirtual().start(() -> drain(channel));
        channel.write(ByteBuffer.wrap(hello()));
        for (int i = 0; i < count; i++) {
          ByteBuffer bytes = ByteBuffer.wrap(source.next());
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
          if (i % 8 == 0) {
            channel.write(ByteBuffer.wrap(hello()));
          }
        }
        channel.shutdownOutput();
        drain.join();
      }
      try (Agent agent = host.connect()) {
        assertThat(agent.awaitHello(PATIENCE).protocolVersion()).isEqualTo(Protocol.VERSION);
        ExecRequest echo = ExecRequest.of(List.of("echo", "still here"), PATIENCE);
        assertThat(agent.exec(echo).stdout()).isEqualTo("still here\n");
        assertThat(agent.eval("6 * 7", PATIENCE).result()).contains("42");
      }
      host.assertCleanExit();
    }
  }

  private static byte[] hello() {
    byte[] hello =
        new Frame(Protocol.HELLO, 0, 0, new Payload().u16(1).i64(99).toByteArray()).encode();
    return ByteBuffer.allocate(hello.length + 1).put((byte) 0).put(hello).array();
  }

  private static void drain(SocketChannel channel) {
    ByteBuffer sink = ByteBuffer.allocate(65536);
    try {
      int got;
      do {
        got = channel.read(sink.clear());
      } while (got >= 0);
    } catch (IOException e) {
      // The agent may close first; what counts is what it does afterwards.
    }
  }

  private static Frame randomFrame(Random random) {
    int type = TYPES[random.nextInt(TYPES.length)];
    int stream = random.nextInt(8);
    int length = random.nextInt(10) == 0 ? random.nextInt(60_000) : random.nextInt(60);
    byte[] payload = CobsTest.randomBytes(random, length);
    if (type == Protocol.OPEN && payload.length > 0) {
      payload[0] = (byte) random.nextInt(17);
    }
    return new Frame(type, random.nextInt(4), stream, payload);
  }

  /** Frames an honest host could send, harmless ones: only `true`, `cat` and short code are run. */
  private static Frame sensibleFrame(Random random) {
    int stream = 1 + random.nextInt(400);
    return switch (random.nextInt(20)) {
      case 0 -> open(stream, exec(List.of("true"), 0));
      case 1 -> open(stream, exec(List.of("cat"), 1));
      case 2 -> open(stream, eval("1 + 1"));
      case 3 -> new Frame(Protocol.DATA, 0, stream, CobsTest.randomBytes(random, 5000));
      case 4 -> new Frame(Protocol.EOF, 0, stream, new byte[0]);
      case 5 -> new Frame(Protocol.CANCEL, 0, stream, new byte[0]);
      case 6 -> new Frame(Protocol.WINDOW, 0, stream, new Payload().i32(100).toByteArray());
      case 7 -> open(stream, new Payload().u8(Protocol.KIND_DESCRIBE));
      case 8 ->
          new Frame(Protocol.DATA, 0, stream, new Payload().text("/etc/passwd").toByteArray());
      case 9 -> open(stream, new Payload().u8(Protocol.KIND_READ).text("/etc/passwd").i64(5000));
      case 10 -> open(stream, new Payload().u8(Protocol.KIND_FILES + 3 * random.nextInt(2)).u8(0));
      case 11, 12 ->
          open(stream, new Payload().u8(Protocol.KIND_CONNECT).u16(6 + random.nextInt(3)));
      case 13, 14 -> open(stream, process(random));
      case 15 -> open(stream, about(Protocol.KIND_ATTACH, random).u8(random.nextInt(2)));
      case 16, 17, 18 -> open(stream, control(random));
      default -> new Frame(Protocol.PING, 0, 0, new Payload().i64(7).toByteArray());
    };
  }

  private static Frame identify(Random random) {
    Payload payload =
        new Payload()
            .i64(random.nextLong())
            .i64(random.nextLong())
            .bytes(new byte[random.nextInt(70)])
            .text("sb-" + "x".repeat(random.nextInt(70)))
            .text("h".repeat(random.nextInt(70)))
            .text("0".repeat(31 + random.nextInt(3)));
    byte[] bytes = payload.toByteArray();
    if (random.nextBoolean()) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return new Frame(Protocol.IDENTIFY, 0, 0, bytes);
  }

  private static Frame open(int stream, Payload payload) {
    return new Frame(Protocol.OPEN, 0, stream, payload.toByteArray());
  }

  private static Payload exec(List<String> args, int flags) {
    return new Payload()
        .u8(Protocol.KIND_EXEC)
        .u8(flags)
        .texts(args)
        .texts(List.of("A=b"))
        .text("/");
  }

  private static Payload process(Random random) {
    return new Payload()
        .u8(Protocol.KIND_PROCESS)
        .u8(random.nextInt(4))
        .u16(random.nextInt(100))
        .u16(random.nextInt(100))
        .texts(List.of(random.nextBoolean() ? "cat" : "true"))
        .texts(List.of("A=b"))
        .text(random.nextInt(5) == 0 ? "nowhere" : "/")
        .text(random.nextInt(5) == 0 ? "nobody" : "")
        .text(tag(random))
        .i32(random.nextBoolean() ? 0 : random.nextInt(50));
  }

  private static Payload control(Random random) {
    int op = random.nextInt(7);
    Payload control =
        new Payload().u8(Protocol.KIND_PROCESS_CONTROL).u8(op).i32(0).text(tag(random));
    return switch (op) {
      case 2 -> control.u8(random.nextInt(66));
      case 3 -> control.u16(random.nextInt(200)).u16(random.nextInt(200));
      default -> control;
    };
  }

  private static Payload about(int kind, Random random) {
    return new Payload().u8(kind).i32(0).text(tag(random));
  }

  private static String tag(Random random) {
    return "tag" + random.nextInt(10);
  }

  private static Payload eval(String code) {
    byte[] body = "{\"code\": \"%s\"}".formatted(code).getBytes(StandardCharsets.UTF_8);
    return new Payload()
        .u8(Protocol.KIND_EVAL)
        .text("python")
        .i32(body.length)
        .raw(body, 0, body.length);
  }

  static byte[] mutate(Random random, byte[] wire) {
    int kind = random.nextInt(4);
    if (kind == 0) {
      wire[random.nextInt(wire.length)] = (byte) random.nextInt(256);
    } else if (kind == 1) {
      return Arrays.copyOf(wire, random.nextInt(wire.length) + 1);
    } else if (kind == 2) {
      wire[random.nextInt(wire.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return wire;
  }
}

package io.forkd.guest;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Throws seeded orders to contexts and executions, whole and broken, at a sanitized agent. */
class InterpreterFuzzTest {
  private static final List<String> BODIES =
      List.of(
          "{\"code\":\"1 + 1\",\"mode\":\"execute\",\"env\":{\"A\":\"b\"}}",
          "{\"code\":\"print('x' * 5000); display(1)\",\"mode\":\"execute\"}",
          "{\"code\":\"1/0\",\"mode\":\"execute\",\"env\":{}}",
          "{\"code\":3,\"mode\":\"execute\"}",
          "{\"code\":\"1\",\"mode\":\"dance\"}",
          "{\"code\":\"1\",\"mode\":\"execute\",\"env\":[1]}",
          "{\"mode\":\"execute\"}",
          "[]",
          "");

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(longs = {41, 42, 43})
  void servesOnAfterOrdersToContexts(long seed) throws Exception {
    Path python = folder.resolve("python3");
    Files.writeString(python, "#!/bin/sh\nexec /usr/bin/python3 -S \"$@\"\n");
    python.toFile().setExecutable(true);
    Random random = new Random(seed);
    int[] stream = {0};
    AgentFuzzTest.fuzz(
        HostAgent.withPath(2, folder + ":/usr/bin:/bin"),
        () -> {
          byte[] wire = frame(random, ++stream[0]).encode();
          return random.nextInt(3) == 0 ? AgentFuzzTest.mutate(random, wire) : wire;
        },
        1500);
  }

  private static Frame frame(Random random, int stream) {
    int some = 1 + random.nextInt(stream);
    return switch (random.nextInt(10)) {
      case 0 -> open(stream, context(1));
      case 1 -> open(stream, context(2).text(random.nextBoolean() ? "python" : "cobol").text(""));
      case 2 -> open(stream, context(3 + random.nextInt(3)).text("python"));
      case 3 -> open(stream, context(random.nextInt(8)).text("python-" + random.nextInt(9)));
      case 4 -> new Frame(Protocol.CANCEL, 0, some, new byte[0]);
      case 5 -> new Frame(Protocol.DATA, 0, some, CobsTest.randomBytes(random, 300));
      case 6 -> open(stream, context(1).raw(CobsTest.randomBytes(random, 9), 0, 9));
      default -> open(stream, execution(random));
    };
  }

  private static Payload context(int operation) {
    return new Payload().u8(Protocol.KIND_CONTEXT).u8(operation);
  }

  private static Payload execution(Random random) {
    byte[] body = BODIES.get(random.nextInt(BODIES.size())).getBytes(StandardCharsets.UTF_8);
    return new Payload()
        .u8(Protocol.KIND_EVAL)
        .text("python")
        .i32(body.length)
        .raw(body, 0, body.length);
  }

  private static Frame open(int stream, Payload payload) {
    return new Frame(Protocol.OPEN, 0, stream, payload.toByteArray());
  }
}

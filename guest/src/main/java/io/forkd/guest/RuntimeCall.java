package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One question to a runtime kernel: a start, or a piece of code. */
final class RuntimeCall {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The longest request the agent takes, and more than any answer a kernel gives. */
  private static final int MAX_REQUEST = 16 * 1024 * 1024;

  private static final int MAX_ANSWER = 40 * 1024 * 1024;

  /** The agent gives interrupted code 5 s, then kills and replaces its kernel. */
  private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(10);

  private final Connection connection;
  private final String runtime;
  private final Duration timeout;
  private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
  private boolean timedOut;

  RuntimeCall(Connection connection, String runtime, Duration timeout) {
    this.connection = connection;
    this.runtime = runtime;
    this.timeout = timeout;
  }

  void start() {
    Payload open = new Payload().u8(Protocol.KIND_START).text(runtime);
    GuestStream stream = connection.open(open.toByteArray());
    var _ = ask(stream, new byte[0], 0);
  }

  EvalResult eval(String code) {
    byte[] request = JSON.writeValueAsBytes(Map.of("code", code));
    if (request.length > MAX_REQUEST) {
      throw ForkdException.badRequest(
          "The code is %d bytes long, more than the %d a runtime takes: put it in a file.",
          request.length, MAX_REQUEST);
    }
    Payload open = new Payload().u8(Protocol.KIND_EVAL).text(runtime).i32(request.length);
    int first = Math.min(request.length, Frame.MAX_PAYLOAD - open.size());
    GuestStream stream = connection.open(open.raw(request, 0, first).toByteArray());
    byte[] reply = ask(stream, request, first);
    if (timedOut) {
      throw failed(
          ErrorCode.TIMEOUT,
          "ran longer than %s and was interrupted; the runtime kept its state".formatted(timeout));
    }
    return parse(reply);
  }

  private byte[] ask(GuestStream stream, byte[] request, int alreadySent) {
    try {
      return switch (follow(stream, request, alreadySent)) {
        case Outcome.Result(byte[] last) -> {
          answer.writeBytes(last);
          yield answer.toByteArray();
        }
        case Outcome.Reset(int code, String message) -> throw refused(code, message);
        case Outcome.Broken(ForkdException cause) -> throw Connection.again(cause);
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(ErrorCode.TIMEOUT, "was given up because its caller was interrupted");
    } finally {
      stream.close();
    }
  }

  private Outcome follow(GuestStream stream, byte[] request, int alreadySent)
      throws InterruptedException {
    Deadline deadline = Deadline.in(timeout);
    int sent = alreadySent;
    while (true) {
      GuestStream.Look look = stream.look(deadline, sent < request.length);
      answer.writeBytes(look.stdout());
      if (answer.size() > MAX_ANSWER) {
        throw failed(ErrorCode.GUEST_FAILED, "answered more than %d bytes".formatted(MAX_ANSWER));
      }
      if (look.outcome() != null) {
        return look.outcome();
      }
      stream.grant();
      int length = Math.min(Math.min(look.credit(), Frame.MAX_PAYLOAD), request.length - sent);
      if (length > 0) {
        stream.sendData(request, sent, length);
        sent += length;
      }
      if (deadline.passed()) {
        if (timedOut) {
          throw failed(ErrorCode.TIMEOUT, "did not answer, nor stop when told to");
        }
        timedOut = true;
        deadline = Deadline.in(INTERRUPT_GRACE);
        stream.send(Protocol.CANCEL, 0, new byte[0]);
      }
    }
  }

  private EvalResult parse(byte[] reply) {
    try {
      JsonNode node = JSON.readTree(reply);
      Optional<String> error = text(node, "error");
      return new EvalResult(
          text(node, "result"),
          error,
          text(node, "traceback"),
          text(node, "stdout").orElse(""),
          text(node, "stderr").orElse(""),
          error.isPresent() ? 1 : 0);
    } catch (JacksonException e) {
      throw failed(ErrorCode.GUEST_FAILED, "gave an answer that is not JSON");
    }
  }

  private static Optional<String> text(JsonNode node, String field) {
    JsonNode value = node.get(field);
    return value != null && value.isString() ? Optional.of(value.stringValue()) : Optional.empty();
  }

  private ForkdException refused(int code, String message) {
    String said = Printable.shorten(message);
    if (timedOut) {
      return failed(ErrorCode.TIMEOUT, "ran longer than %s: %s".formatted(timeout, said));
    }
    boolean unknown = code == Protocol.ERROR_NO_RUNTIME || code == Protocol.ERROR_NOT_FOUND;
    ErrorCode mine = unknown ? ErrorCode.BAD_REQUEST : ErrorCode.GUEST_FAILED;
    return failed(mine, "failed: " + said);
  }

  private ForkdException failed(ErrorCode code, String what) {
    return new ForkdException(
        code, "The %s runtime in %s %s.".formatted(runtime, connection.guest(), what));
  }
}

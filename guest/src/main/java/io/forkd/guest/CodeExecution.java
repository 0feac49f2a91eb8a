package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * Code that runs in a guest's context, as its events come.
 *
 * <p>Bytes are taken from the stream only when all events in those before are taken: it holds one
 * window and one event at most.
 */
final class CodeExecution implements Execution {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The longest request the agent takes. */
  private static final int MAX_REQUEST = 16 * 1024 * 1024;

  /** More than any answer without events has to say. */
  private static final int MAX_ANSWER = 64 * 1024;

  private final GuestStream stream;
  private final String attempt;
  private final byte[] request;
  private final EventLines lines = new EventLines();
  private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
  private int sent;
  private boolean toldOfCancelling;
  private volatile boolean finished;

  private CodeExecution(GuestStream stream, String attempt, byte[] request, int sent) {
    this.stream = stream;
    this.attempt = attempt;
    this.request = request;
    this.sent = sent;
  }

  static CodeExecution begin(Connection connection, CodeRequest code) {
    String context = code.context().orElse(code.language().orElse(Language.PYTHON).text());
    byte[] request =
        JSON.writeValueAsBytes(Map.of("code", code.code(), "mode", "execute", "env", code.env()));
    if (request.length > MAX_REQUEST) {
      throw ForkdException.badRequest(
          "The code is %d bytes long, more than the %d a context takes: put it in a file.",
          request.length, MAX_REQUEST);
    }
    Payload open = new Payload().u8(Protocol.KIND_EVAL).text(context).i32(request.length);
    if (open.size() > Frame.MAX_PAYLOAD) {
      throw ForkdException.badRequest("A context's id is not that long.");
    }
    int first = Math.min(request.length, Frame.MAX_PAYLOAD - open.size());
    GuestStream stream = connection.open(open.raw(request, 0, first).toByteArray());
    String attempt =
        "Cannot run code in the context '%s' of %s"
            .formatted(Printable.shorten(context), connection.guest());
    return new CodeExecution(stream, attempt, request, first);
  }

  @Override
  public Optional<CodeEvent> next(Duration wait) throws InterruptedException {
    Deadline deadline = Deadline.in(wait);
    while (!finished) {
      Optional<CodeEvent> event = lines.next();
      if (event.isPresent()) {
        return event;
      }
      GuestStream.Look look = stream.look(deadline, sent < request.length);
      lines.add(look.stderr());
      keepAnswer(look.stdout());
      if (look.outcome() != null && lines.isEmpty()) {
        return Optional.of(end(look.outcome()));
      }
      if (look.outcome() == null) {
        stream.grant();
        feed(look.credit());
        if (deadline.passed() && lines.isEmpty()) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  private void feed(int credit) {
    int length = Math.min(Math.min(credit, Frame.MAX_PAYLOAD), request.length - sent);
    if (length > 0) {
      stream.sendData(request, sent, length);
      sent += length;
    }
  }

  private void keepAnswer(byte[] piece) {
    answer.writeBytes(piece);
    if (answer.size() > MAX_ANSWER) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "%s: it answered more than %d bytes.".formatted(attempt, MAX_ANSWER));
    }
  }

  private CodeEvent end(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Result(byte[] last) -> {
        answer.writeBytes(last);
        yield finish();
      }
      case Outcome.Reset(int code, String message) when code == Protocol.ERROR_CANCELLED ->
          neverBegan(message);
      case Outcome.Reset reset when reset.code() == Protocol.ERROR_NO_RUNTIME ->
          throw new GuestRefusal(
              GuestFailure.UNFIT, "%s: %s.".formatted(attempt, Printable.shorten(reset.message())));
      case Outcome.Reset reset -> throw Refusals.of(reset, attempt);
      case Outcome.Broken(ForkdException cause) -> throw Connection.again(cause);
    };
  }

  /** It was interrupted while others ran before it: a failure, then the end. */
  private CodeEvent neverBegan(String message) {
    finished = toldOfCancelling;
    toldOfCancelling = true;
    return finished ? new CodeEvent.Finished() : new CodeEvent.Failed("Interrupted", message, "");
  }

  private CodeEvent finish() {
    byte[] said = answer.toByteArray();
    if (!EventLines.isEnd(said)) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "%s: it answered %s."
              .formatted(attempt, Printable.shorten(new String(said, StandardCharsets.UTF_8))));
    }
    finished = true;
    return new CodeEvent.Finished();
  }

  @Override
  public void interrupt() {
    if (stream.outcome().isEmpty()) {
      stream.send(Protocol.CANCEL, 0, new byte[0]);
    }
  }

  @Override
  public void close() {
    finished = true;
    stream.close();
  }
}

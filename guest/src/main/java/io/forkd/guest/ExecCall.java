package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** One program run in the guest, fed and drained by the thread that asked for it. */
final class ExecCall {
  /** How long a killed process may take to be reported dead. */
  private static final Duration KILL_GRACE = Duration.ofSeconds(5);

  private static final int SIGNALLED = 128;

  private final Connection connection;
  private final ExecRequest request;
  private final byte[] stdin;
  private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
  private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
  private int sent;
  private boolean inputEnded;
  private boolean truncated;
  private boolean timedOut;

  ExecCall(Connection connection, ExecRequest request) {
    this.connection = connection;
    this.request = request;
    this.stdin = request.stdin();
    this.inputEnded = stdin.length == 0;
  }

  ExecResult run() {
    Deadline deadline = Deadline.in(request.timeout());
    List<String> env =
        request.env().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
    Payload open =
        new Payload()
            .u8(Protocol.KIND_EXEC)
            .u8(inputEnded ? 0 : 1)
            .texts(request.args())
            .texts(env)
            .text(request.cwd().orElse(""));
    GuestStream stream = connection.open(open.toByteArray());
    try {
      return finish(follow(stream, deadline));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(ErrorCode.TIMEOUT, "was interrupted");
    } finally {
      stream.close();
    }
  }

  private Outcome follow(GuestStream stream, Deadline first) throws InterruptedException {
    Deadline deadline = first;
    while (true) {
      GuestStream.Look look = stream.look(deadline, !inputEnded);
      keep(look.stdout(), stdout);
      keep(look.stderr(), stderr);
      if (look.outcome() != null) {
        return look.outcome();
      }
      stream.grant();
      feed(stream, look.credit());
      if (deadline.passed()) {
        if (timedOut) {
          throw failed(ErrorCode.TIMEOUT, "was killed after its timeout but did not end");
        }
        timedOut = true;
        deadline = Deadline.in(KILL_GRACE);
        stream.send(Protocol.CANCEL, 0, new byte[0]);
      }
    }
  }

  private void feed(GuestStream stream, int credit) {
    if (inputEnded) {
      return;
    }
    int length = Math.min(Math.min(credit, Frame.MAX_PAYLOAD), stdin.length - sent);
    if (length > 0) {
      stream.sendData(stdin, sent, length);
      sent += length;
    }
    if (sent == stdin.length) {
      stream.send(Protocol.EOF, Protocol.CHANNEL_IN, new byte[0]);
      inputEnded = true;
    }
  }

  private void keep(byte[] output, ByteArrayOutputStream kept) {
    int space = request.maxOutputBytes() - stdout.size() - stderr.size();
    truncated |= output.length > space;
    kept.write(output, 0, Math.min(space, output.length));
  }

  private ExecResult finish(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Result(byte[] payload) ->
          connection.reading(
              () -> {
                Fields fields = new Fields(payload);
                int base = fields.u8() == 0 ? 0 : SIGNALLED;
                int code = base + fields.i32();
                fields.end();
                return new ExecResult(text(stdout), text(stderr), code, truncated, timedOut);
              });
      case Outcome.Reset(int code, String message) ->
          throw failed(
              ErrorCode.GUEST_FAILED,
              "was refused: %s (code %d)".formatted(Printable.shorten(message), code));
      case Outcome.Broken(ForkdException cause) -> throw Connection.again(cause);
    };
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private ForkdException failed(ErrorCode code, String what) {
    return new ForkdException(
        code,
        "Running '%s' in %s %s."
            .formatted(Printable.shorten(request.args().getFirst()), connection.guest(), what));
  }
}

package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.guest.CodeEvent;
import io.forkd.guest.CodeRequest;
import io.forkd.guest.Execution;
import io.forkd.guest.Language;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The route that runs code in a context and tells what it does. A client that goes interrupts it.
 */
final class ExecuteRoute {
  /** How long code that was interrupted may take to end. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final View forkd;
  private final OpenStreams streams;
  private final Duration heartbeat;

  ExecuteRoute(View forkd, OpenStreams streams, Duration heartbeat) {
    this.forkd = forkd;
    this.streams = streams;
    this.heartbeat = heartbeat;
  }

  void addTo(Router router) {
    router.add(
        Operation.post("/v1/sandboxes/{id}/execute")
            .summary("Run code in a context")
            .role(Role.USER)
            .body(CodeSchemas.EXECUTE)
            .answers(
                200,
                LineStream.answer(
                    "begin, stdout, stderr, result and failure as they come, and last end or"
                        + " error"))
            .fails(409, 502, 504),
        this::execute);
  }

  private void execute(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    CodeRequest request = request(fields);
    Optional<Duration> timeout = fields.seconds("timeout_secs", 1, CodeSchemas.LONGEST_SECONDS);
    var interpreter = forkd.inside(exchange).interpreter();
    LineStream lines = LineStream.of(exchange, streams, OpenStreams.Kind.CODE, heartbeat);
    try (Execution execution = interpreter.execute(request)) {
      Run run = new Run(execution, timeout);
      run.begin(heartbeat);
      lines.relay(run::next, run::tell);
    }
  }

  private static CodeRequest request(Fields fields) {
    Optional<String> context = fields.string("context").map(ContextRoutes::checked);
    Optional<Language> language = fields.oneOf("language", Language.class);
    if (context.isPresent() && language.isPresent()) {
      throw ForkdException.badRequest(
          "context and language exclude each other: a context has its language.");
    }
    return new CodeRequest(
        fields.requiredString("code"), context, language, EnvironmentFields.read(fields));
  }

  /** One execution, which is interrupted when its time is up. */
  private static final class Run {
    private final Execution execution;
    private final Optional<Duration> timeout;
    private final long start = System.nanoTime();
    private Optional<CodeEvent> first = Optional.empty();
    private boolean timedOut;

    Run(Execution execution, Optional<Duration> timeout) {
      this.execution = execution;
      this.timeout = timeout;
    }

    /** Waits a little for the first event, so that a refusal is an answer and not a line. */
    void begin(Duration wait) throws IOException {
      try {
        first = execution.next(wait);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted by the end of the daemon");
      }
    }

    Optional<CodeEvent> next(Duration wait) throws InterruptedException {
      if (first.isPresent()) {
        Optional<CodeEvent> event = first;
        first = Optional.empty();
        return event;
      }
      if (timeout.isEmpty()) {
        return execution.next(wait);
      }
      Duration left = timeout.get().minusNanos(System.nanoTime() - start);
      if (timedOut) {
        left = left.plus(GRACE);
      }
      if (left.isPositive()) {
        return execution.next(left.compareTo(wait) < 0 ? left : wait);
      }
      if (timedOut) {
        throw new ForkdException(
            ErrorCode.TIMEOUT,
            "The code was interrupted when its time was up and does not end: restart its context.");
      }
      timedOut = true;
      execution.interrupt();
      return Optional.empty();
    }

    boolean tell(CodeEvent event, LineStream lines) throws IOException {
      lines.send(line(event));
      return !(event instanceof CodeEvent.Finished);
    }

    private JsonObject line(CodeEvent event) {
      return switch (event) {
        case CodeEvent.Began(int count) -> LineStream.line("begin").with("count", count);
        case CodeEvent.Stdout(String text) -> LineStream.line("stdout").with("text", text);
        case CodeEvent.Stderr(String text) -> LineStream.line("stderr").with("text", text);
        case CodeEvent.Result result ->
            LineStream.line("result")
                .with("main", result.main())
                .with("formats", new TreeMap<>(result.formats()));
        case CodeEvent.Failed failed ->
            LineStream.line("failure")
                .with("name", failed.name())
                .with("value", failed.value())
                .with("traceback", failed.traceback());
        case CodeEvent.Finished _ ->
            timedOut ? LineStream.line("end").with("timed_out", true) : LineStream.line("end");
      };
    }
  }
}

package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.guest.CodeContext;
import io.forkd.guest.CodeEvent;
import io.forkd.guest.CodeRequest;
import io.forkd.guest.Execution;
import io.forkd.guest.Inside;
import io.forkd.guest.Interpreter;
import io.forkd.guest.Language;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import io.forkd.server.http.JsonParse;
import io.forkd.server.http.StopSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** E2B's code interpreter: runs code in contexts. */
final class InterpreterService {
  /** A client that has left shows only when it is written to twice. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private static final String LINES = "application/x-ndjson";

  private InterpreterService() {}

  static void handle(E2bHost host, Inside inside, Exchange exchange) throws IOException {
    Interpreter interpreter = inside.interpreter();
    List<String> path = exchange.segments();
    String what = exchange.method() + " " + path.getFirst() + "/" + path.size();
    switch (what) {
      case "POST execute/1" -> {
        host.lasts(exchange);
        try (StopSignal _ = StopSignal.of(exchange)) {
          execute(interpreter, exchange);
        }
      }
      case "GET health/1" ->
          exchange.respond(200, "text/plain", "OK".getBytes(StandardCharsets.US_ASCII));
      case "GET contexts/1" ->
          exchange.respond(
              200, interpreter.contexts().stream().map(InterpreterService::shape).toList());
      case "POST contexts/1" -> create(interpreter, exchange);
      case "DELETE contexts/2" -> {
        interpreter.delete(path.get(1));
        exchange.respondEmpty(204);
      }
      case "POST contexts/3" -> {
        requireKnown(path.get(2).equals("restart"), exchange);
        interpreter.restart(path.get(1));
        exchange.respondEmpty(204);
      }
      default -> requireKnown(false, exchange);
    }
  }

  private static void requireKnown(boolean known, Exchange exchange) {
    if (!known) {
      throw new HttpProblem(
          404,
          "The interpreter has no %s: use /execute and /contexts."
              .formatted(Printable.shorten(exchange.toString())));
    }
  }

  private static void create(Interpreter interpreter, Exchange exchange) throws IOException {
    Body body = Body.read(exchange.body());
    Language language =
        body.text("language").map(InterpreterService::language).orElse(Language.PYTHON);
    exchange.respond(200, shape(interpreter.create(language, body.text("cwd"))));
  }

  private static JsonObject shape(CodeContext context) {
    return Json.object()
        .with("id", context.id())
        .with("language", context.language().text())
        .with("cwd", context.cwd());
  }

  private static Language language(String name) {
    String word =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "python3", "py" -> "python";
          case "js" -> "javascript";
          default -> name.toLowerCase(Locale.ROOT);
        };
    return Language.of(word)
        .orElseThrow(
            () ->
                ForkdException.badRequest(
                    "forkd does not run '%s': use python, javascript or java.",
                    Printable.shorten(name)));
  }

  private static void execute(Interpreter interpreter, Exchange exchange) throws IOException {
    Body body = Body.read(exchange.body());
    CodeRequest request =
        new CodeRequest(
            body.requiredText("code"),
            body.text("context_id"),
            body.text("language").map(InterpreterService::language),
            body.pairs("env_vars"));
    try (Execution execution = interpreter.execute(request)) {
      exchange.beginStream(200, LINES);
      boolean more = true;
      while (more) {
        Optional<CodeEvent> event = execution.next(SILENCE);
        // A client that has gone shows when it is written to, and closing interrupts the code.
        send(
            exchange,
            event.map(InterpreterService::line).orElse(Json.object().with("type", "keepalive")));
        more = event.filter(CodeEvent.Finished.class::isInstance).isEmpty();
      }
      exchange.endStream();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted by the end of the daemon", e);
    }
  }

  /** In ASCII: clients decode each chunk by itself, and a character may be split between two. */
  private static void send(Exchange exchange, JsonObject line) throws IOException {
    exchange.stream((Json.ascii(line) + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  private static JsonObject line(CodeEvent event) {
    return switch (event) {
      case CodeEvent.Began(int count) ->
          Json.object().with("type", "number_of_executions").with("execution_count", count);
      case CodeEvent.Stdout(String text) -> output("stdout", text);
      case CodeEvent.Stderr(String text) -> output("stderr", text);
      case CodeEvent.Result(boolean main, Map<String, String> formats) -> result(main, formats);
      case CodeEvent.Failed(String name, String value, String traceback) ->
          Json.object()
              .with("type", "error")
              .with("name", name)
              .with("value", value)
              .with("traceback", traceback);
      case CodeEvent.Finished _ -> Json.object().with("type", "end_of_execution");
    };
  }

  private static JsonObject output(String type, String text) {
    return Json.object().with("type", type).with("text", text).with("timestamp", Instant.now());
  }

  private static JsonObject result(boolean main, Map<String, String> formats) {
    JsonObject line = Json.object().with("type", "result").with("is_main_result", main);
    formats.forEach(
        (name, value) ->
            line.withNullable(name, name.equals("json") ? json(value) : Optional.of(value)));
    return line;
  }

  private static Optional<Object> json(String text) {
    return Optional.ofNullable(JsonParse.value(text.getBytes(StandardCharsets.UTF_8)));
  }
}

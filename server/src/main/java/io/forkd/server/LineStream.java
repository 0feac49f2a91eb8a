package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import io.forkd.server.http.StopSignal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * What goes on inside a sandbox, told line by line as it happens. A client that reads slowly holds
 * up the source; one that is gone is noticed when something is told, be it only that all is quiet.
 */
final class LineStream {
  static final String CONTENT_TYPE = "application/x-ndjson";

  private static final JsonObject KEEPALIVE = line("keepalive");

  private final Exchange exchange;
  private final OpenStreams open;
  private final OpenStreams.Kind kind;
  private final Duration heartbeat;

  /** Where events come from. */
  interface Source<T> {
    /** The next event; empty when none came in that time. */
    Optional<T> next(Duration wait) throws InterruptedException;
  }

  /** Turns events into lines. */
  interface Teller<T> {
    /** Tells an event; whether more will come. */
    boolean tell(T event, LineStream lines) throws IOException;
  }

  private LineStream(
      Exchange exchange, OpenStreams open, OpenStreams.Kind kind, Duration heartbeat) {
    this.exchange = exchange;
    this.open = open;
    this.kind = kind;
    this.heartbeat = heartbeat;
  }

  /** Makes a request a stream, which a caller may only have so many of. */
  static LineStream of(
      Exchange exchange, OpenStreams open, OpenStreams.Kind kind, Duration heartbeat) {
    Throttle.lasts(exchange);
    return new LineStream(exchange, open, kind, heartbeat);
  }

  static Operation.Answer answer(String about) {
    return new Operation.Answer(CONTENT_TYPE, Optional.empty(), "Lines of JSON: " + about);
  }

  static JsonObject line(String type) {
    return Json.object().with("type", type);
  }

  void send(JsonObject line) throws IOException {
    exchange.streamLine(line);
  }

  /** Answers with all that the source has to say, after one line that comes first. */
  <T> void relay(JsonObject first, Source<T> source, Teller<T> teller) throws IOException {
    relay(Optional.of(first), source, teller);
  }

  /** Answers with all that the source has to say. */
  <T> void relay(Source<T> source, Teller<T> teller) throws IOException {
    relay(Optional.empty(), source, teller);
  }

  private <T> void relay(Optional<JsonObject> first, Source<T> source, Teller<T> teller)
      throws IOException {
    try (OpenStreams.Open _ = open.begin(kind)) {
      exchange.beginStream(200, CONTENT_TYPE);
      if (!exchange.method().equals("HEAD")) {
        relayGuarded(first, source, teller);
      }
      exchange.endStream();
    }
  }

  private <T> void relayGuarded(Optional<JsonObject> first, Source<T> source, Teller<T> teller)
      throws IOException {
    Optional<JsonObject> error = Optional.empty();
    try (StopSignal _ = StopSignal.of(exchange)) {
      if (first.isPresent()) {
        send(first.get());
      }
      boolean more = true;
      while (more) {
        Optional<T> event = source.next(heartbeat);
        if (event.isPresent()) {
          more = teller.tell(event.get(), this);
        } else {
          send(KEEPALIVE);
        }
      }
    } catch (InterruptedException e) {
      error =
          Optional.of(error("The daemon is stopping, or the key that was shown holds no longer."));
    } catch (RuntimeException e) {
      exchange.note(Mishap.class, Mishap.of(e));
      error = Optional.of(error(message(e)));
    }
    if (error.isPresent()) {
      send(error.get());
    }
  }

  static JsonObject error(String message) {
    return line("error").with("error", message);
  }

  /** What a client is told; that a guest ended under a stream is not worth a line in the log. */
  private String message(RuntimeException e) {
    return e instanceof ForkdException known && known.code() != ErrorCode.INTERNAL
        ? String.valueOf(known.getMessage())
        : Dispatcher.Failure.of(e, exchange.toString()).message();
  }
}

package io.forkd.server;

import io.forkd.base.Progress;
import io.forkd.core.Snapshot;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The making of a snapshot told line by line.
 *
 * <p>The work has its own thread, and lines reach the client through a queue: a client that reads
 * slowly or goes away neither slows nor ends the work, which may have taken minutes already. The
 * snapshot is then found under its tag.
 */
final class SnapshotStream {
  static final String CONTENT_TYPE = "application/x-ndjson";

  static final Operation.Answer ANSWER =
      new Operation.Answer(
          CONTENT_TYPE,
          Optional.empty(),
          "Lines of JSON: a step and its detail, a heartbeat, and last the snapshot or the error");

  private static final Logger log = LoggerFactory.getLogger(SnapshotStream.class);

  private final Exchange exchange;
  private final Duration heartbeat;
  private final LinkedBlockingQueue<Line> lines = new LinkedBlockingQueue<>();

  SnapshotStream(Exchange exchange, Duration heartbeat) {
    this.exchange = exchange;
    this.heartbeat = heartbeat;
  }

  void run(Function<Progress, Snapshot> work) throws IOException {
    exchange.beginStream(200, CONTENT_TYPE);
    String request = exchange.toString();
    Optional<Idempotency.Claim> claim = exchange.noted(Idempotency.Claim.class);
    claim.ifPresent(Idempotency.Claim::handOver);
    Thread.ofVirtual()
        .name("snapshot")
        .start(
            () -> {
              Line last = last(work, request, claim);
              claim.ifPresent(Idempotency.Claim::end);
              lines.add(last);
            });
    try {
      relay();
    } catch (IOException e) {
      log.info("The client of {} went away; the work goes on", request);
      throw e;
    }
  }

  private void relay() throws IOException {
    while (true) {
      Line line = next();
      if (line == null) {
        exchange.streamLine(Json.object().with("heartbeat", true));
        continue;
      }
      exchange.streamLine(line.json());
      if (line.last()) {
        line.mishap().ifPresent(mishap -> exchange.note(Mishap.class, mishap));
        exchange.endStream();
        return;
      }
    }
  }

  private @Nullable Line next() throws IOException {
    try {
      return lines.poll(heartbeat.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted by the end of the daemon");
    }
  }

  private Line last(
      Function<Progress, Snapshot> work, String request, Optional<Idempotency.Claim> claim) {
    try {
      JsonObject snapshot = SnapshotShapes.snapshot(work.apply(this::step));
      claim.ifPresent(mine -> mine.keep(201, Map.of(), Json.bytes(snapshot)));
      return new Line(Json.object().with("snapshot", snapshot), true, Optional.empty());
    } catch (RuntimeException | Error e) {
      Dispatcher.Failure failure = Dispatcher.Failure.of(e, request);
      claim.ifPresent(mine -> mine.keepRefusal(failure.status(), failure.message()));
      JsonObject error = Json.error(failure.message()).with("status", failure.status());
      return new Line(error, true, Optional.of(Mishap.of(e)));
    }
  }

  private void step(String step, String detail) {
    JsonObject line = Json.object().with("step", step).with("detail", detail);
    lines.add(new Line(line, false, Optional.empty()));
  }

  private record Line(JsonObject json, boolean last, Optional<Mishap> mishap) {}
}

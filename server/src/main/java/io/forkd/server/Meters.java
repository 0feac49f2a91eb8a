package io.forkd.server;

import io.forkd.core.Event;
import io.forkd.core.ForkResult;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import io.forkd.server.http.Exchange;
import java.util.Optional;
import java.util.Set;

/** What the daemon counts and times while it runs. */
final class Meters {
  private static final double MS_PER_SECOND = 1000;
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private final Histogram forks =
      new Histogram("forkd_fork_seconds", "Time from a fork's request to a child that answers.");
  private final Histogram branchPauses =
      new Histogram("forkd_branch_pause_seconds", "Time a sandbox stood still for a branch.");
  final Histogram execs = new Histogram("forkd_exec_seconds", "Time of programs run in guests.");
  final Histogram evals = new Histogram("forkd_eval_seconds", "Time of code evaluated in guests.");
  private final Counter ends =
      new Counter("forkd_sandbox_ends_total", "Sandboxes that ended, by reason.", "reason");
  final Counter auditDrops =
      new Counter("forkd_audit_dropped_total", "Lines that did not reach the audit log.", "reason");
  final Counter slowListeners =
      new Counter(
          "forkd_event_listeners_dropped_total",
          "Clients of the events stream that were cut off because they read too slowly.");
  final OpenStreams streams = new OpenStreams();
  private final Counter requests =
      new Counter("forkd_http_requests_total", "Requests answered.", "method", "route", "status");
  private final Histogram requestTimes =
      new Histogram("forkd_http_request_seconds", "Time requests took.", "route");

  /** Observes what was forked. */
  ForkResult forked(ForkResult result) {
    for (Sandbox sandbox : result.sandboxes()) {
      Optional.ofNullable(sandbox.phasesMs().get("total"))
          .ifPresent(total -> forks.observe(total / MS_PER_SECOND));
    }
    return result;
  }

  /** Observes what was branched. */
  Snapshot branched(Snapshot snapshot) {
    snapshot.branch().ifPresent(branch -> branchPauses.observe(branch.pauseMs() / MS_PER_SECOND));
    return snapshot;
  }

  /** Counts something that happened. */
  void happened(Event event) {
    if (event.type().equals("sandbox.ended")) {
      ends.increment(event.details().getOrDefault("reason", "unknown"));
    }
  }

  /** Counts a request that was answered. */
  void request(Exchange exchange, Optional<Operation> operation, long startNanos) {
    // Only known words, because a stranger must not be able to make up series without end.
    String method = METHODS.contains(exchange.method()) ? exchange.method() : "other";
    String route = operation.map(Operation::template).orElse("none");
    requests.increment(method, route, String.valueOf(exchange.status()));
    requestTimes.observeSince(startNanos, route);
  }

  void writeTo(MetricText text) {
    forks.writeTo(text);
    branchPauses.writeTo(text);
    execs.writeTo(text);
    evals.writeTo(text);
    ends.writeTo(text);
    requests.writeTo(text);
    requestTimes.writeTo(text);
    auditDrops.writeTo(text);
    slowListeners.writeTo(text);
    streams.writeTo(text);
  }
}

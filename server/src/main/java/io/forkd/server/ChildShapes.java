package io.forkd.server;

import io.forkd.core.Egress;
import io.forkd.core.EndReason;
import io.forkd.core.EndedSandbox;
import io.forkd.core.Lifetime;
import io.forkd.core.Limits;
import io.forkd.core.Sandbox;
import io.forkd.core.Workspace;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The wire's shapes of what a sandbox was given, and of what outlives it. */
final class ChildShapes {
  private ChildShapes() {}

  /** Adds what a sandbox was given and how it is connected. */
  static JsonObject addGiven(JsonObject shape, Sandbox sandbox) {
    Limits limits = sandbox.given().limits();
    shape
        .with("state", Shapes.word(sandbox.state()))
        .withOptional("labels", labels(sandbox.given().labels()))
        .withOptional("owner", sandbox.given().owner())
        .withOptional("cpus", limits.cpus())
        .withOptional("pids", limits.pids())
        .withOptional("io_bytes_per_sec", limits.ioBytesPerSecond());
    addLifetime(shape, sandbox.given().lifetime(), sandbox.expiresAt());
    return shape
        .withOptional(
            "egress",
            sandbox
                .network()
                .map(Sandbox.Network::egress)
                .or(sandbox.given()::egress)
                .map(ChildShapes::egress))
        .withOptional("netns", sandbox.network().map(Sandbox.Network::netns))
        .withOptional("guest_addr", sandbox.network().map(Sandbox.Network::guestAddress));
  }

  private static void addLifetime(
      JsonObject shape, Lifetime lifetime, Optional<Instant> expiresAt) {
    shape
        .withOptional("ttl_secs", lifetime.ttl().map(ChildShapes::seconds))
        .withOptional("expires_at_unix", expiresAt.map(Instant::getEpochSecond))
        .withOptional("idle_timeout_secs", lifetime.idle().map(ChildShapes::seconds));
    if (lifetime.ttl().isPresent() || lifetime.idle().isPresent()) {
      shape.with("on_timeout", Shapes.word(lifetime.atEnd()));
    }
  }

  /** A policy with nothing more to say is its name. */
  private static Object egress(Egress egress) {
    return switch (egress) {
      case Egress.None _ -> "none";
      case Egress.Internet _ -> "internet";
      case Egress.Allowlist list ->
          Json.object()
              .with("policy", "allowlist")
              .with("domains", list.domains())
              .with("cidrs", list.cidrs());
    };
  }

  static JsonObject ended(EndedSandbox ended) {
    return Json.object()
        .with("id", ended.id())
        .with("snapshot_tag", ended.snapshotTag())
        .with("created_at_unix", ended.createdAt().getEpochSecond())
        .with("ended_at_unix", ended.endedAt().getEpochSecond())
        .with("reason", reason(ended.reason()))
        .withOptional("labels", labels(ended.labels()))
        .withOptional("owner", ended.owner());
  }

  private static JsonObject reason(EndReason reason) {
    return Json.object()
        .with("kind", Shapes.word(reason.kind()))
        .with("text", reason.text())
        .with("log", reason.log());
  }

  static JsonObject workspace(Workspace workspace) {
    return Json.object()
        .with("id", workspace.id())
        .with("name", workspace.name())
        .with("source_snapshot_tag", workspace.sourceTag())
        .withOptional("current_state_tag", workspace.stateTag())
        .with("status", Shapes.word(workspace.status()))
        .withOptional("live_sandbox_id", workspace.sandbox())
        .with("created_at_unix", workspace.createdAt().getEpochSecond())
        .with("last_active_unix", workspace.lastActive().getEpochSecond())
        .withOptional("labels", labels(workspace.labels()))
        .withOptional("owner", workspace.owner());
  }

  private static Optional<Map<String, String>> labels(Map<String, String> labels) {
    return labels.isEmpty() ? Optional.empty() : Optional.of(new TreeMap<>(labels));
  }

  /** Whole seconds without a fraction, as they were asked for. */
  private static Number seconds(Duration time) {
    return time.toNanosPart() == 0 ? (Number) time.toSeconds() : (Number) (time.toNanos() / 1e9);
  }
}

package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.SandboxId;
import io.forkd.core.Egress;
import io.forkd.core.Forkd;
import io.forkd.core.Lifetime;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxState;
import io.forkd.core.Snapshot;
import io.forkd.guest.GuestMetrics;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sandboxes as E2B's clients read them. */
final class SandboxShapes {
  /** What the clients' features are chosen by: file metadata and entries in watch events work. */
  static final String ENVD_VERSION = "0.6.4";

  /** E2B's name of the machine a sandbox is on; there is only this one. */
  private static final String CLIENT = "forkd";

  /** A sandbox without an end has one that is far away, since clients insist on one. */
  private static final Duration FOREVER = Duration.ofDays(3650);

  private static final Pattern LOOPBACK =
      Pattern.compile("(?:127(?:\\.\\d{1,3}){3}|\\[::1]|0\\.0\\.0\\.0)(:\\d+)?");

  private final E2bHost host;
  private final Tokens tokens;
  private final Optional<String> domain;

  SandboxShapes(E2bHost host, Tokens tokens, Optional<String> domain) {
    this.host = host;
    this.tokens = tokens;
    this.domain = domain;
  }

  static String template(Sandbox sandbox) {
    return sandbox.given().labels().getOrDefault(Labels.TEMPLATE, sandbox.snapshotTag().value());
  }

  /** What a client needs to use a sandbox. */
  JsonObject access(Exchange exchange, Sandbox sandbox) {
    return Json.object()
        .with("templateID", template(sandbox))
        .with("sandboxID", sandbox.id().value())
        .with("clientID", CLIENT)
        .with("envdVersion", ENVD_VERSION)
        .with("envdAccessToken", tokens.of(Tokens.Purpose.ENVD, sandbox.id(), host.key(exchange)))
        .with(
            "trafficAccessToken",
            tokens.of(Tokens.Purpose.TRAFFIC, sandbox.id(), host.key(exchange)))
        .with("domain", domain(exchange));
  }

  /** What is told about one sandbox. */
  JsonObject detail(Exchange exchange, Forkd forkd, Sandbox sandbox) {
    boolean pauses = sandbox.given().lifetime().atEnd() == Lifetime.AtEnd.PAUSE;
    JsonObject detail =
        listed(forkd, sandbox)
            .with(
                "envdAccessToken", tokens.of(Tokens.Purpose.ENVD, sandbox.id(), host.key(exchange)))
            .with("domain", domain(exchange))
            .with(
                "lifecycle",
                Json.object()
                    .with("onTimeout", pauses ? "pause" : "kill")
                    .with("autoResume", autoResumes(sandbox)));
    egress(sandbox)
        .ifPresent(
            egress -> {
              detail.with("allowInternetAccess", !(egress instanceof Egress.None));
              detail.with("network", network(egress));
            });
    return detail;
  }

  /** What is told about each of many. */
  static JsonObject listed(Forkd forkd, Sandbox sandbox) {
    Optional<Snapshot> snapshot = Templates.snapshot(forkd, sandbox.snapshotTag());
    Instant end = sandbox.expiresAt().orElseGet(() -> sandbox.createdAt().plus(FOREVER));
    return Json.object()
        .with("templateID", template(sandbox))
        .with("sandboxID", sandbox.id().value())
        .with("clientID", CLIENT)
        .with("alias", sandbox.snapshotTag().value())
        .with("startedAt", millis(sandbox.createdAt()))
        .with("endAt", millis(end))
        .with("state", sandbox.state() == SandboxState.PAUSED ? "paused" : "running")
        .with("cpuCount", snapshot.map(Snapshot::vcpus).orElse(1))
        .with("memoryMB", snapshot.map(Snapshot::memoryMib).orElse(0))
        .with("diskSizeMB", 0)
        .with("envdVersion", ENVD_VERSION)
        .with("metadata", Labels.metadata(sandbox.given().labels()));
  }

  static JsonObject metric(GuestMetrics metrics) {
    return Json.object()
        .with("timestamp", millis(metrics.at()))
        .with("timestampUnix", metrics.at().getEpochSecond())
        .with("cpuCount", metrics.cpus())
        .with("cpuUsedPct", metrics.cpuUsedPercent())
        .with("memTotal", metrics.memoryTotal())
        .with("memUsed", metrics.memoryUsed())
        .with("memCache", metrics.memoryCache())
        .with("diskTotal", metrics.diskTotal())
        .with("diskUsed", metrics.diskUsed());
  }

  static boolean autoResumes(Sandbox sandbox) {
    return sandbox.given().labels().containsKey(Labels.AUTO_RESUME);
  }

  private static Optional<Egress> egress(Sandbox sandbox) {
    return sandbox.network().map(Sandbox.Network::egress);
  }

  private static JsonObject network(Egress egress) {
    return switch (egress) {
      case Egress.Internet _ -> Json.object();
      case Egress.None _ -> Json.object().with("denyOut", List.of("0.0.0.0/0"));
      case Egress.Allowlist(List<String> domains, List<String> ranges) -> {
        List<String> allowed = new ArrayList<>(domains);
        allowed.addAll(ranges);
        yield Json.object().with("allowOut", allowed).with("denyOut", List.of("0.0.0.0/0"));
      }
    };
  }

  /** Where port hosts are found: 127.0.0.1 has no names below it, localhost has. */
  private String domain(Exchange exchange) {
    String host = exchange.header("Host").orElse("localhost");
    Matcher loopback = LOOPBACK.matcher(host);
    if (loopback.matches()) {
      host = "localhost" + Optional.ofNullable(loopback.group(1)).orElse("");
    }
    return domain.orElse(host);
  }

  static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  /** What is answered for a sandbox that does not run: clients know it by its words. */
  static String deadMessage(String id) {
    return "The sandbox %s was not found: it has ended, or it is paused and Sandbox.connect resumes it."
        .formatted(id);
  }

  static JsonObject dead(String id) {
    return Json.object().with("sandboxId", id).with("message", deadMessage(id)).with("code", 502);
  }

  static SandboxId known(String text) {
    if (!SandboxId.isValid(text)) {
      throw ForkdException.notFound("There is no sandbox '%s'.", Printable.shorten(text));
    }
    return SandboxId.of(text);
  }
}

package io.forkd.server.e2b;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.BranchSpec;
import io.forkd.core.ChildSpec;
import io.forkd.core.FanOut;
import io.forkd.core.FanOutSpec;
import io.forkd.core.Forkd;
import io.forkd.core.Lifetime;
import io.forkd.core.RemoveMode;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The control plane's calls that copy sandboxes: forks and snapshots. */
final class CloneCalls {
  private static final int MOST_FORKS = 100;

  /** What a fork's branch is called: it goes when its children have gone, and is not listed. */
  private static final String FORK_TAG = "e2b-fork-";

  private static final Duration FORK_TAG_LIFE = Duration.ofMinutes(1);
  private static final Comparator<Snapshot> NEWEST_FIRST =
      Comparator.comparing(Snapshot::createdAt).thenComparing(Snapshot::tag).reversed();

  private final E2bHost host;
  private final SandboxShapes shapes;
  private final SecureRandom random = new SecureRandom();

  CloneCalls(E2bHost host, SandboxShapes shapes) {
    this.host = host;
    this.shapes = shapes;
  }

  List<ControlRoute> routes() {
    return List.of(
        new ControlRoute("POST", "/sandboxes/{id}/fork", false, this::fork),
        new ControlRoute("POST", "/sandboxes/{id}/snapshots", false, this::snapshot),
        new ControlRoute("GET", "/snapshots", false, this::list),
        new ControlRoute("DELETE", "/templates/{template}", false, this::remove));
  }

  private void fork(Exchange exchange) throws IOException {
    Body body = Body.read(exchange.body());
    int count = body.number("count", 1, MOST_FORKS).orElse(1);
    Forkd forkd = host.of(exchange);
    Sandbox source = forkd.sandbox(SandboxCalls.id(exchange));
    FanOut made = forkd.fanOut(source.id(), spec(source, body, count));
    host.subject(exchange, made.snapshot().tag());
    List<JsonObject> results = new ArrayList<>();
    made.children()
        .sandboxes()
        .forEach(
            child -> {
              host.subject(exchange, child.id());
              results.add(Json.object().with("sandbox", shapes.access(exchange, child)));
            });
    made.children()
        .failures()
        .forEach(failure -> results.add(Json.object().with("error", failed(failure.error()))));
    exchange.respond(201, results);
  }

  private FanOutSpec spec(Sandbox source, Body body, int count) {
    byte[] name = new byte[8];
    random.nextBytes(name);
    ChildSpec given = source.given();
    return new FanOutSpec(
        new BranchSpec(
            Optional.of(Tag.of(FORK_TAG + HexFormat.of().formatHex(name))),
            Optional.empty(),
            false,
            Optional.of(FORK_TAG_LIFE),
            Optional.empty()),
        count,
        new ChildSpec(
            given.limits(),
            new Lifetime(
                Optional.of(SandboxCalls.seconds(body, "timeout", SandboxCalls.OLD_TIMEOUT)),
                given.lifetime().idle(),
                given.lifetime().atEnd()),
            given.egress(),
            given.labels(),
            Optional.empty()));
  }

  private static JsonObject failed(String message) {
    return Json.object().with("code", 500).with("message", message);
  }

  private void snapshot(Exchange exchange) throws IOException {
    Body body = Body.read(exchange.body());
    if (!body.flag("memory").orElse(true)) {
      throw ForkdException.badRequest(
          "forkd's snapshots have the memory in them: leave memory out.");
    }
    Optional<Tag> tag = body.text("name").map(Templates::withoutVersion).map(Tag::of);
    BranchSpec spec =
        new BranchSpec(tag, Optional.empty(), true, Optional.empty(), Optional.empty());
    Snapshot made = host.of(exchange).branch(SandboxCalls.id(exchange), spec);
    host.subject(exchange, made.tag());
    exchange.respond(201, shape(made));
  }

  private static JsonObject shape(Snapshot snapshot) {
    return Json.object()
        .with("snapshotID", snapshot.tag().value())
        .with("names", List.of(snapshot.tag().value()));
  }

  private void list(Exchange exchange) throws IOException {
    Optional<SandboxId> of = exchange.query("sandboxID").map(SandboxShapes::known);
    Optional<String> name = exchange.query("name").map(Templates::withoutVersion);
    List<Snapshot> found =
        host.of(exchange).snapshots().stream()
            .filter(snapshot -> snapshot.branch().isPresent())
            .filter(snapshot -> !snapshot.tag().value().startsWith(FORK_TAG))
            .filter(snapshot -> of.map(id -> isOf(snapshot, id)).orElse(true))
            .filter(snapshot -> name.map(snapshot.tag().value()::equals).orElse(true))
            .sorted(NEWEST_FIRST)
            .toList();
    Paging.respond(exchange, found, snapshot -> snapshot.tag().value(), CloneCalls::shape);
  }

  private static boolean isOf(Snapshot snapshot, SandboxId id) {
    return snapshot.branch().map(branch -> branch.sandbox().equals(id)).orElse(false);
  }

  private void remove(Exchange exchange) throws IOException {
    String name = Templates.withoutVersion(exchange.pathParameter("template"));
    if (!Tag.isValid(name)) {
      throw new ForkdException(
          ErrorCode.NOT_FOUND, "There is no snapshot '%s'.".formatted(Printable.shorten(name)));
    }
    host.of(exchange).removeSnapshot(Tag.of(name), RemoveMode.SAFE);
    exchange.respondEmpty(204);
  }
}

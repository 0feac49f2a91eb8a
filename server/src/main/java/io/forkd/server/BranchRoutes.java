package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.BranchMode;
import io.forkd.core.BranchSpec;
import io.forkd.core.FanOut;
import io.forkd.core.FanOutSpec;
import io.forkd.core.ForkSpec;
import io.forkd.core.Forkd;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Routes that make a snapshot of a running sandbox, or put it back to one. */
final class BranchRoutes {
  private final View forkd;
  private final Idempotency idempotency;

  BranchRoutes(View forkd, Idempotency idempotency) {
    this.forkd = forkd;
    this.idempotency = idempotency;
  }

  void addTo(Router router) {
    router
        .add(
            Idempotency.keyed(
                Operation.post("/v1/sandboxes/{id}/branch")
                    .summary("Make a snapshot of a running sandbox")
                    .role(Role.USER)
                    .optionalBody(BranchSchemas.BRANCH)
                    .answers(201, SnapshotSchemas.SNAPSHOT)
                    .fails(409, 502, 503, 504)),
            idempotency.around(this::branch))
        .add(
            Idempotency.keyed(
                Operation.post("/v1/sandboxes/{id}/fork")
                    .summary("Branch a sandbox and fork children of the branch")
                    .role(Role.USER)
                    .optionalBody(BranchSchemas.FAN_OUT)
                    .answers(201, BranchSchemas.FANNED_OUT)
                    .fails(409, 502, 503, 504)),
            idempotency.around(this::fork))
        .add(
            Operation.post("/v1/sandboxes/{id}/rollback")
                .summary("Put a sandbox back to a snapshot of its family")
                .role(Role.USER)
                .body(BranchSchemas.ROLLBACK)
                .answers(200, SandboxSchemas.SANDBOX)
                .fails(409, 502, 503, 504),
            this::rollback);
  }

  private void branch(Exchange exchange) throws IOException {
    SandboxId id = PathNames.sandbox(exchange);
    Fields fields = BodyReader.readOrNone(exchange.body());
    BranchSpec spec =
        spec(fields, mode(fields), fields.choice("wait").orElse(true), fields.ttl("ttl_secs"));
    Optional<Tag> parent = fields.tag("parent_tag");
    // Older clients ask for sizes with it; they are always told, so only its type matters.
    fields.flag("measure_diff");
    Forkd mine = forkd.of(exchange);
    parent.ifPresent(tag -> requireParent(mine, id, tag));
    Snapshot snapshot = mine.branch(id, spec);
    Subjects.note(exchange, snapshot.tag());
    exchange.respond(201, SnapshotShapes.snapshot(snapshot));
  }

  private void fork(Exchange exchange) throws IOException {
    SandboxId id = PathNames.sandbox(exchange);
    Fields fields = BodyReader.readOrNone(exchange.body());
    Optional<BranchMode> mode = fields.oneOf("mode", BranchMode.class);
    FanOutSpec spec =
        new FanOutSpec(
            // The children are made from memory, so their caller need not wait for the disk.
            spec(fields, mode, false, fields.ttl("snapshot_ttl_secs")),
            fields.integer("n", 1, ForkSpec.MOST).orElse(1),
            ChildFields.read(fields));
    Map<String, String> env = EnvironmentFields.read(fields);
    Forkd mine = forkd.of(exchange);
    FanOut born = mine.fanOut(id, spec);
    FanOut fanOut =
        new FanOut(
            born.snapshot(), new ChildEnvironment(mine, env).giveTo(born.children(), spec.n()));
    Subjects.note(exchange, fanOut.snapshot().tag());
    Subjects.note(exchange, fanOut.children().sandboxes().stream().map(Sandbox::id).toList());
    SandboxRoutes.requireSurvivors(fanOut.children());
    exchange.respond(201, Shapes.fanOut(fanOut));
  }

  private void rollback(Exchange exchange) throws IOException {
    SandboxId id = PathNames.sandbox(exchange);
    Tag tag = BodyReader.read(exchange.body()).requiredTag("tag");
    Subjects.note(exchange, tag);
    exchange.respond(200, Shapes.sandbox(forkd.of(exchange).rollback(id, tag)));
  }

  private static BranchSpec spec(
      Fields fields, Optional<BranchMode> mode, boolean awaitDisk, Optional<Duration> ttl) {
    return new BranchSpec(
        fields.tag("tag"),
        mode,
        awaitDisk,
        ttl,
        fields.integer("keep_last", 1, BranchSpec.MOST_KEPT));
  }

  /** Older clients say {@code diff} where newer ones say {@code mode}. */
  private static Optional<BranchMode> mode(Fields fields) {
    Optional<BranchMode> mode = fields.oneOf("mode", BranchMode.class);
    Optional<Boolean> diff = fields.choice("diff");
    if (mode.isPresent() && diff.isPresent()) {
      throw ForkdException.badRequest(
          "mode and diff exclude each other: send mode alone (diff true is mode diff, diff false is"
              + " mode full).");
    }
    return mode.or(() -> diff.map(wanted -> wanted ? BranchMode.DIFF : BranchMode.FULL));
  }

  /** A delta is what a sandbox changed since it was made, so there is no choice of parents. */
  private static void requireParent(Forkd forkd, SandboxId id, Tag parent) {
    Tag actual = forkd.sandbox(id).snapshotTag();
    if (!parent.equals(actual)) {
      throw ForkdException.badRequest(
          "parent_tag is %s, but sandbox %s is based on %s: send that, or leave parent_tag out.",
          parent, id, actual);
    }
  }
}

package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.core.Collected;
import io.forkd.core.Subject;
import io.forkd.server.http.Exchange;
import java.io.IOException;

/** Routes that flatten, collect and compare what branches leave behind. */
final class ChainRoutes {
  private final View forkd;

  ChainRoutes(View forkd) {
    this.forkd = forkd;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.post("/v1/snapshots/{tag}/compact")
                .summary("Make a snapshot without a parent out of a chain")
                .role(Role.USER)
                .body(BranchSchemas.COMPACT)
                .answers(201, SnapshotSchemas.SNAPSHOT)
                .fails(409),
            this::compact)
        .add(
            Operation.post("/v1/gc")
                .summary("Remove snapshots that expired and nothing depends on")
                .role(Role.OPERATOR)
                .optionalBody(BranchSchemas.COLLECT)
                .answers(200, BranchSchemas.COLLECTED),
            this::collect)
        .add(
            Operation.post("/v1/diff")
                .summary("Compare two snapshots or sandboxes")
                .role(Role.USER)
                .changesNothing()
                .body(BranchSchemas.COMPARE)
                .answers(200, BranchSchemas.DIFFERENCE)
                .fails(404, 409, 502, 503, 504),
            this::compare);
  }

  private void compact(Exchange exchange) throws IOException {
    Tag from = PathNames.tag(exchange);
    Tag to = BodyReader.read(exchange.body()).requiredTag("to");
    Subjects.note(exchange, to);
    if (from.equals(to)) {
      throw ForkdException.badRequest(
          "to is %s, the snapshot itself: give the flat snapshot a tag of its own.", to);
    }
    exchange.respond(201, SnapshotShapes.snapshot(forkd.of(exchange).compact(from, to)));
  }

  private void collect(Exchange exchange) throws IOException {
    boolean dryRun = BodyReader.readOrNone(exchange.body()).flag("dry_run");
    Collected collected = forkd.of(exchange).collect(dryRun);
    Subjects.note(exchange, collected.items().stream().map(Collected.Item::tag).toList());
    exchange.respond(200, SnapshotShapes.collected(collected));
  }

  private void compare(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    Subject a = subject(fields, "a");
    Subject b = subject(fields, "b");
    boolean text = fields.flag("text");
    exchange.respond(
        200, DifferenceShapes.difference(a, b, forkd.of(exchange).compare(a, b, text)));
  }

  private static Subject subject(Fields fields, String name) {
    String text = fields.requiredString(name);
    if (!SandboxId.isValid(text) && !Tag.isValid(text)) {
      throw ForkdException.badRequest(
          "%s is '%s', neither a tag nor a sandbox id: `forkd images` and `forkd ls` list them.",
          name, Printable.shorten(text));
    }
    return Subject.named(text);
  }
}

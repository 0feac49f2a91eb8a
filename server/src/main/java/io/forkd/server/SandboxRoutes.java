package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.ForkResult;
import io.forkd.core.ForkSpec;
import io.forkd.core.Forkd;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxState;
import io.forkd.guest.EvalResult;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Routes about sandboxes. */
final class SandboxRoutes {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
  private static final List<String> UNHONOURED = List.of("prewarm", "live_fork", "hugepages");

  private final View forkd;
  private final Idempotency idempotency;

  SandboxRoutes(View forkd, Idempotency idempotency) {
    this.forkd = forkd;
    this.idempotency = idempotency;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.get("/v1/sandboxes")
                .summary("List the sandboxes")
                .role(Role.READ_ONLY)
                .query("label", Schema.text(), "name=value; may be repeated, all must match")
                .query("state", Schema.oneOf(SandboxState.class), "Only those in this state")
                .answers(200, Schema.listOf(SandboxSchemas.SANDBOX)),
            this::list)
        .add(
            Idempotency.keyed(
                Operation.post("/v1/sandboxes")
                    .summary("Fork children of a snapshot")
                    .role(Role.USER)
                    .body(SandboxSchemas.FORK)
                    .answers(201, Schema.listOf(SandboxSchemas.SANDBOX))
                    .fails(404, 409, 502, 503, 504)),
            idempotency.around(this::fork))
        .add(
            Operation.get("/v1/sandboxes/{id}")
                .summary("A sandbox")
                .role(Role.READ_ONLY)
                .answers(200, SandboxSchemas.SANDBOX),
            this::get)
        .add(
            Operation.delete("/v1/sandboxes/{id}")
                .summary("End a sandbox")
                .role(Role.USER)
                .answers(204),
            this::kill)
        .add(
            Operation.post("/v1/sandboxes/{id}/ping")
                .summary("Ask the guest whether it answers")
                .role(Role.USER)
                .changesNothing()
                .answers(200, SandboxSchemas.PONG)
                .fails(409, 502, 504),
            this::ping)
        .add(
            Operation.post("/v1/sandboxes/{id}/exec")
                .summary("Run a program in the guest")
                .role(Role.USER)
                .body(SandboxSchemas.EXEC)
                .answers(200, SandboxSchemas.EXECUTED)
                .fails(409, 502, 504),
            this::exec)
        .add(
            Operation.post("/v1/sandboxes/{id}/eval")
                .summary("Evaluate code in the guest's warm runtime")
                .role(Role.USER)
                .body(SandboxSchemas.EVAL)
                .answers(200, SandboxSchemas.EVALUATED)
                .fails(409, 502, 504),
            this::eval);
  }

  private void list(Exchange exchange) throws IOException {
    SandboxFilter filter = SandboxFilter.of(exchange);
    exchange.respond(
        200, forkd.of(exchange).sandboxes().stream().filter(filter).map(Shapes::sandbox).toList());
  }

  private void fork(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    ForkSpec spec =
        new ForkSpec(
            fields.requiredTag("snapshot_tag"),
            fields.integer("n", 1, ForkSpec.MOST).orElse(1),
            fields.flag("measure"),
            ChildFields.read(fields));
    Map<String, String> env = EnvironmentFields.read(fields);
    // Every sandbox has a namespace of its own, so only the field's type matters.
    fields.flag("per_child_netns");
    Warnings warnings = Warnings.of(fields, UNHONOURED, List.of());
    Subjects.note(exchange, spec.tag());
    Forkd mine = forkd.of(exchange);
    ForkResult result = new ChildEnvironment(mine, env).giveTo(mine.fork(spec), spec.n());
    Subjects.note(exchange, result.sandboxes().stream().map(Sandbox::id).toList());
    requireSurvivors(result);
    warnings.addTo(exchange);
    if (!result.failures().isEmpty()) {
      exchange.setHeader(FailureHeader.NAME, FailureHeader.value(result.failures()));
    }
    exchange.respond(201, result.sandboxes().stream().map(Shapes::sandbox).toList());
  }

  /** When no child lives, the first one's failure is the request's. */
  static void requireSurvivors(ForkResult result) {
    if (result.sandboxes().isEmpty() && !result.failures().isEmpty()) {
      throw new ForkdException(ErrorCode.GUEST_FAILED, result.failures().getFirst().error());
    }
  }

  private void get(Exchange exchange) throws IOException {
    exchange.respond(200, Shapes.sandbox(forkd.of(exchange).sandbox(PathNames.sandbox(exchange))));
  }

  private void kill(Exchange exchange) throws IOException {
    forkd.of(exchange).kill(PathNames.sandbox(exchange));
    exchange.respondEmpty(204);
  }

  private void ping(Exchange exchange) throws IOException {
    exchange.respond(200, Shapes.pong(forkd.of(exchange).ping(PathNames.sandbox(exchange))));
  }

  private void exec(Exchange exchange) throws IOException {
    SandboxId id = PathNames.sandbox(exchange);
    Fields fields = BodyReader.read(exchange.body());
    List<String> args = fields.arguments("args");
    exchange.respond(200, Shapes.exec(forkd.of(exchange).exec(id, args, timeout(fields))));
  }

  private void eval(Exchange exchange) throws IOException {
    SandboxId id = PathNames.sandbox(exchange);
    Fields fields = BodyReader.read(exchange.body());
    String code = fields.requiredString("code");
    Duration timeout = timeout(fields);
    Forkd mine = forkd.of(exchange);
    long began = System.nanoTime();
    EvalResult answer = mine.eval(id, code, timeout);
    AgentTiming.tell(exchange, System.nanoTime() - began);
    exchange.respond(200, Shapes.eval(answer));
  }

  private static Duration timeout(Fields fields) {
    return fields.seconds("timeout_secs", 1, 3600).orElse(DEFAULT_TIMEOUT);
  }
}

package io.forkd.server;

import io.forkd.core.WorkspaceName;
import io.forkd.core.WorkspaceSpec;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.util.List;

/** Routes about workspaces. */
final class WorkspaceRoutes {
  private final View forkd;
  private final Idempotency idempotency;

  WorkspaceRoutes(View forkd, Idempotency idempotency) {
    this.forkd = forkd;
    this.idempotency = idempotency;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.get("/v1/workspaces")
                .summary("List the workspaces")
                .role(Role.READ_ONLY)
                .answers(200, Schema.listOf(ChildSchemas.WORKSPACE)),
            this::list)
        .add(
            Idempotency.keyed(
                Operation.post("/v1/workspaces")
                    .summary("Make a workspace and start its sandbox")
                    .role(Role.USER)
                    .body(ChildSchemas.CREATE_WORKSPACE)
                    .answers(201, ChildSchemas.WORKSPACE)
                    .fails(404, 502, 503, 504)),
            idempotency.around(this::create))
        .add(
            named(Operation.get("/v1/workspaces/{name}"))
                .summary("A workspace")
                .role(Role.READ_ONLY)
                .answers(200, ChildSchemas.WORKSPACE),
            this::get)
        .add(
            named(Operation.delete("/v1/workspaces/{name}"))
                .summary("End a workspace's sandbox and remove its state")
                .role(Role.USER)
                .answers(204)
                .fails(409, 502, 504),
            this::delete)
        .add(
            named(Operation.post("/v1/workspaces/{name}/suspend"))
                .summary("Keep a workspace's state and end its sandbox")
                .role(Role.USER)
                .optionalBody(ChildSchemas.MOVE_WORKSPACE)
                .answers(200, ChildSchemas.WORKSPACE)
                .fails(409, 502, 503, 504),
            this::suspend)
        .add(
            named(Operation.post("/v1/workspaces/{name}/resume"))
                .summary("Start a workspace's sandbox from its last state")
                .role(Role.USER)
                .optionalBody(ChildSchemas.MOVE_WORKSPACE)
                .answers(200, ChildSchemas.WORKSPACE)
                .fails(409, 502, 503, 504),
            this::resume);
  }

  private static Operation named(Operation operation) {
    return operation.path("name", ChildSchemas.WORKSPACE_NAME, "The workspace");
  }

  private void list(Exchange exchange) throws IOException {
    exchange.respond(
        200, forkd.of(exchange).workspaces().stream().map(ChildShapes::workspace).toList());
  }

  private void create(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    WorkspaceSpec spec =
        new WorkspaceSpec(
            new WorkspaceName(fields.requiredString("name")),
            fields.requiredTag("snapshot_tag"),
            ChildFields.read(fields));
    // Every sandbox has a namespace of its own, so only the field's type matters.
    fields.flag("per_child_netns");
    Subjects.note(exchange, List.of(spec.name(), spec.source()));
    exchange.respond(201, ChildShapes.workspace(forkd.of(exchange).createWorkspace(spec)));
  }

  private void get(Exchange exchange) throws IOException {
    exchange.respond(200, ChildShapes.workspace(forkd.of(exchange).workspace(name(exchange))));
  }

  private void delete(Exchange exchange) throws IOException {
    forkd.of(exchange).deleteWorkspace(name(exchange));
    exchange.respondEmpty(204);
  }

  private void suspend(Exchange exchange) throws IOException {
    WorkspaceName name = name(exchange);
    checkDiff(exchange);
    exchange.respond(200, ChildShapes.workspace(forkd.of(exchange).suspendWorkspace(name)));
  }

  private void resume(Exchange exchange) throws IOException {
    WorkspaceName name = name(exchange);
    checkDiff(exchange);
    exchange.respond(200, ChildShapes.workspace(forkd.of(exchange).resumeWorkspace(name)));
  }

  /** Older clients choose with it how the state is kept, which is the daemon's affair here. */
  private static void checkDiff(Exchange exchange) {
    BodyReader.readOrNone(exchange.body()).choice("diff");
  }

  private static WorkspaceName name(Exchange exchange) {
    return new WorkspaceName(exchange.pathParameter("name"));
  }
}

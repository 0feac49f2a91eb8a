package io.forkd.server;

import io.forkd.core.WorkspaceName;
import io.forkd.core.WorkspaceSpec;
import io.forkd.server.http.Exchange;
import java.io.IOException;

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
        .on("GET", "/v1/workspaces", this::list)
        .on("POST", "/v1/workspaces", idempotency.around(this::create))
        .on("GET", "/v1/workspaces/{name}", this::get)
        .on("DELETE", "/v1/workspaces/{name}", this::delete)
        .on("POST", "/v1/workspaces/{name}/suspend", this::suspend)
        .on("POST", "/v1/workspaces/{name}/resume", this::resume);
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

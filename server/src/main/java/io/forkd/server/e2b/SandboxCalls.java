package io.forkd.server.e2b;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.ChildSpec;
import io.forkd.core.ForkResult;
import io.forkd.core.ForkSpec;
import io.forkd.core.Forkd;
import io.forkd.core.Lifetime;
import io.forkd.core.Limits;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxChange;
import io.forkd.core.SandboxState;
import io.forkd.core.Snapshot;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The control plane's calls about a sandbox's life. */
final class SandboxCalls {
  static final int A_YEAR = 31_536_000;
  static final int OLD_TIMEOUT = 15;
  private static final int NEW_TIMEOUT = 300;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final E2bHost host;
  private final Templates templates;
  private final SandboxShapes shapes;
  private final InstantSource clock;

  SandboxCalls(E2bHost host, Templates templates, SandboxShapes shapes, InstantSource clock) {
    this.host = host;
    this.templates = templates;
    this.shapes = shapes;
    this.clock = clock;
  }

  List<ControlRoute> routes() {
    return List.of(
        new ControlRoute("POST", "/v2/sandboxes", true, x -> create(x, NEW_TIMEOUT)),
        new ControlRoute("POST", "/sandboxes", true, x -> create(x, OLD_TIMEOUT)),
        new ControlRoute("POST", "/v2/sandboxes/{id}/connect", false, x -> connect(x, NEW_TIMEOUT)),
        new ControlRoute("POST", "/sandboxes/{id}/connect", false, x -> connect(x, NEW_TIMEOUT)),
        new ControlRoute("POST", "/sandboxes/{id}/resume", false, x -> connect(x, OLD_TIMEOUT)),
        new ControlRoute("GET", "/v2/sandboxes", false, x -> list(x, "running,paused")),
        new ControlRoute("GET", "/sandboxes", false, x -> list(x, "running")),
        new ControlRoute("GET", "/sandboxes/{id}", false, this::info),
        new ControlRoute("DELETE", "/sandboxes/{id}", false, this::kill),
        new ControlRoute("POST", "/sandboxes/{id}/timeout", false, this::timeout),
        new ControlRoute("POST", "/sandboxes/{id}/refreshes", false, this::refresh),
        new ControlRoute("POST", "/sandboxes/{id}/pause", false, this::pause));
  }

  static SandboxId id(Exchange exchange) {
    return SandboxShapes.known(exchange.pathParameter("id"));
  }

  private void create(Exchange exchange, int usualTimeout) throws IOException {
    Body body = Body.read(exchange.body());
    String name = body.requiredText("templateID");
    Forkd forkd = host.of(exchange);
    refuseUnknown(body);
    ChildSpec child = child(body, name, usualTimeout);
    Map<String, String> environment = body.pairs("envVars");
    Snapshot snapshot = templates.find(forkd, name);
    ForkResult result = forkd.fork(new ForkSpec(snapshot.tag(), 1, false, child));
    if (result.sandboxes().isEmpty()) {
      throw new ForkdException(ErrorCode.GUEST_FAILED, result.failures().getFirst().error());
    }
    Sandbox sandbox = result.sandboxes().getFirst();
    host.subject(exchange, sandbox.id());
    if (!environment.isEmpty()) {
      setEnvironment(forkd, sandbox.id(), environment);
    }
    exchange.respond(201, shapes.access(exchange, sandbox));
  }

  /** A sandbox that is not what was asked for is not handed out. */
  private static void setEnvironment(Forkd forkd, SandboxId id, Map<String, String> environment) {
    try {
      forkd.inside(id).setEnvironment(environment, PATIENCE);
    } catch (RuntimeException e) {
      forkd.kill(id);
      throw e;
    }
  }

  private static void refuseUnknown(Body body) {
    for (String field : List.of("mcp", "iam")) {
      if (body.has(field)) {
        throw ForkdException.badRequest("%s is not supported: leave it out.", field);
      }
    }
    if (body.fields().get("volumeMounts") instanceof List<?> mounts && !mounts.isEmpty()) {
      throw ForkdException.badRequest("There are no volumes: leave volumeMounts out.");
    }
  }

  private static ChildSpec child(Body body, String template, int usualTimeout) {
    Map<String, String> labels = new HashMap<>(Labels.of(body.pairs("metadata")));
    if (template.length() <= ChildSpec.LONGEST_VALUE) {
      labels.put(Labels.TEMPLATE, template);
    }
    if (body.object("autoResume").flatMap(resume -> resume.flag("enabled")).orElse(false)) {
      labels.put(Labels.AUTO_RESUME, Labels.YES);
    }
    if (body.object("network").flatMap(n -> n.flag("allowPublicTraffic")).orElse(false)) {
      labels.put(Labels.PUBLIC, Labels.YES);
    }
    boolean pauses = body.flag("autoPause").orElse(false);
    return new ChildSpec(
        Limits.NONE,
        new Lifetime(
            Optional.of(seconds(body, "timeout", usualTimeout)),
            Optional.empty(),
            pauses ? Lifetime.AtEnd.PAUSE : Lifetime.AtEnd.KILL),
        NetworkFields.ofNew(body),
        labels,
        Optional.empty());
  }

  static Duration seconds(Body body, String field, int usual) {
    return Duration.ofSeconds(Math.max(1, body.number(field, 0, A_YEAR).orElse(usual)));
  }

  private void connect(Exchange exchange, int usualTimeout) throws IOException {
    Body body = Body.read(exchange.body());
    SandboxId id = id(exchange);
    Forkd forkd = host.of(exchange);
    if (!body.flag("memory").orElse(true)) {
      throw ForkdException.badRequest(
          "forkd resumes sandboxes with their memory only: leave memory out.");
    }
    boolean paused = forkd.sandbox(id).state() == SandboxState.PAUSED;
    Sandbox sandbox = paused ? forkd.resume(id) : forkd.sandbox(id);
    Duration wanted = seconds(body, "timeout", usualTimeout);
    Sandbox lives = paused ? live(forkd, sandbox, wanted) : extend(forkd, sandbox, wanted);
    exchange.respond(paused ? 201 : 200, shapes.access(exchange, lives));
  }

  /** Lets a sandbox live so long from now. */
  private static Sandbox live(Forkd forkd, Sandbox sandbox, Duration time) {
    Lifetime before = sandbox.given().lifetime();
    return forkd.update(
        sandbox.id(),
        new SandboxChange(
            Optional.empty(),
            Optional.of(new Lifetime(Optional.of(time), before.idle(), before.atEnd())),
            Optional.empty(),
            Optional.empty()));
  }

  /** Lets a sandbox live at least so long from now. */
  private Sandbox extend(Forkd forkd, Sandbox sandbox, Duration time) {
    Instant end = clock.instant().plus(time);
    boolean longer = sandbox.expiresAt().map(end::isAfter).orElse(false);
    return longer ? live(forkd, sandbox, time) : sandbox;
  }

  private void list(Exchange exchange, String states) throws IOException {
    Forkd forkd = host.of(exchange);
    List<Sandbox> found = SandboxQuery.of(exchange, states).of(forkd.sandboxes());
    Paging.respond(
        exchange,
        found,
        sandbox -> sandbox.id().value(),
        sandbox -> SandboxShapes.listed(forkd, sandbox));
  }

  private void info(Exchange exchange) throws IOException {
    Forkd forkd = host.of(exchange);
    exchange.respond(200, shapes.detail(exchange, forkd, forkd.sandbox(id(exchange))));
  }

  private void kill(Exchange exchange) throws IOException {
    host.of(exchange).kill(id(exchange));
    exchange.respondEmpty(204);
  }

  private void timeout(Exchange exchange) throws IOException {
    Duration time = seconds(Body.read(exchange.body()), "timeout", OLD_TIMEOUT);
    Forkd forkd = host.of(exchange);
    live(forkd, forkd.sandbox(id(exchange)), time);
    exchange.respondEmpty(204);
  }

  private void refresh(Exchange exchange) throws IOException {
    Duration time = seconds(Body.read(exchange.body()), "duration", OLD_TIMEOUT);
    Forkd forkd = host.of(exchange);
    extend(forkd, forkd.sandbox(id(exchange)), time);
    exchange.respondEmpty(204);
  }

  private void pause(Exchange exchange) throws IOException {
    SandboxId id = id(exchange);
    Forkd forkd = host.of(exchange);
    if (!Body.read(exchange.body()).flag("memory").orElse(true)) {
      throw ForkdException.badRequest(
          "forkd pauses sandboxes with their memory only: leave memory out.");
    }
    if (forkd.sandbox(id).state() == SandboxState.PAUSED) {
      throw ForkdException.conflict("Sandbox %s is paused already.", id);
    }
    forkd.pause(id);
    exchange.respondEmpty(204);
  }
}

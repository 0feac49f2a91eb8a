package io.forkd.server.e2b;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.Forkd;
import io.forkd.core.Lifetime;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxChange;
import io.forkd.core.SandboxState;
import io.forkd.guest.GuestMetrics;
import io.forkd.guest.Inside;
import io.forkd.server.http.ErrorShape;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;

/** What is inside of sandboxes, for who has a sandbox's token. */
final class DataPlane implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration AFTER_RESUME = Duration.ofMinutes(5);
  private static final String TOKEN = "X-Access-Token";
  private static final String TRAFFIC_TOKEN = "E2B-Traffic-Access-Token";

  private final E2bHost host;
  private final Tokens tokens;
  private final InstantSource clock;
  private final Users users = new Users();
  private final Watchers watchers = new Watchers();
  private final Rpc rpc;

  DataPlane(E2bHost host, Tokens tokens, InstantSource clock) {
    this.host = host;
    this.tokens = tokens;
    this.clock = clock;
    this.rpc = new Rpc(host);
    ProcessService.addTo(rpc);
    new FilesystemService(watchers).addTo(rpc);
  }

  void handle(Exchange exchange, Target target) throws IOException {
    exchange.note(
        ErrorShape.class,
        (status, message) ->
            Json.object()
                .with("sandboxId", target.sandbox())
                .with("message", message)
                .with("code", status));
    Optional<Sandbox> found = find(target);
    if (found.isEmpty()) {
      exchange.respond(502, SandboxShapes.dead(target.sandbox()));
      return;
    }
    try {
      serve(exchange, found.get(), target.port());
    } catch (ForkdException e) {
      // It may have ended since it was found, which is told like all that is dead.
      if (exchange.committed() || find(target).isPresent()) {
        throw e;
      }
      exchange.respond(502, SandboxShapes.dead(target.sandbox()));
    }
  }

  private void serve(Exchange exchange, Sandbox sandbox, int port) throws IOException {
    SandboxId id = sandbox.id();
    host.subject(exchange, id);
    try (E2bHost.Pass _ = admit(exchange, sandbox, port)) {
      if (!isAwake(sandbox)) {
        exchange.respond(502, SandboxShapes.dead(id.value()));
      } else if (port == Target.ENVD) {
        envd(exchange, id);
      } else if (port == Target.INTERPRETER) {
        InterpreterService.handle(host, inside(id), exchange);
      } else {
        host.proxy(exchange, id, port);
      }
    }
  }

  private Optional<Sandbox> find(Target target) {
    if (!SandboxId.isValid(target.sandbox())) {
      return Optional.empty();
    }
    try {
      return Optional.of(host.everything().sandbox(SandboxId.of(target.sandbox())));
    } catch (ForkdException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** One that ended between two questions failed as a guest does. */
  private Inside inside(SandboxId id) {
    try {
      return host.everything().inside(id);
    } catch (ForkdException e) {
      boolean gone = e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.CONFLICT;
      throw gone ? new HttpProblem(502, SandboxShapes.deadMessage(id.value())) : e;
    }
  }

  private E2bHost.Pass admit(Exchange exchange, Sandbox sandbox, int port) {
    SandboxId id = sandbox.id();
    Optional<Tokens.Bearer> bearer =
        shows(exchange, TOKEN, Tokens.Purpose.ENVD, id)
            .or(
                () ->
                    port == Target.ENVD
                        ? signed(exchange, id)
                        : shows(exchange, TRAFFIC_TOKEN, Tokens.Purpose.TRAFFIC, id))
            .or(() -> open(exchange, sandbox, port));
    if (bearer.isPresent()) {
      return host.letIn(exchange, id, bearer.get().key());
    }
    boolean guestPort = port != Target.ENVD && port != Target.INTERPRETER;
    Optional<E2bHost.Pass> byKey = guestPort ? host.letInByKey(exchange, id) : Optional.empty();
    return byKey.orElseThrow(() -> host.stranger(exchange, missing(port)));
  }

  private static String missing(int port) {
    return switch (port) {
      case Target.ENVD ->
          "No valid token of the sandbox came with the request: send X-Access-Token with the"
              + " envdAccessToken of create or connect.";
      default ->
          "No valid token of the sandbox came with the request: send E2B-Traffic-Access-Token with"
              + " the trafficAccessToken of create or connect, or an API key.";
    };
  }

  private Optional<Tokens.Bearer> shows(
      Exchange exchange, String header, Tokens.Purpose purpose, SandboxId id) {
    return exchange.header(header).flatMap(shown -> tokens.bearer(purpose, id, shown));
  }

  private Optional<Tokens.Bearer> signed(Exchange exchange, SandboxId id) {
    Optional<Signature> signature = Signature.of(exchange);
    Optional<Tokens.Bearer> signer = signature.flatMap(signed -> tokens.signer(id, signed));
    if (signer.isPresent() && signature.get().expired(clock.instant())) {
      throw new HttpProblem(401, "The signature's time is over: make a new URL.");
    }
    return signer;
  }

  /** What needs no token. */
  private static Optional<Tokens.Bearer> open(Exchange exchange, Sandbox sandbox, int port) {
    boolean open =
        switch (port) {
          case Target.ENVD -> exchange.rawPath().equals("/health");
          case Target.INTERPRETER -> false;
          default -> sandbox.given().labels().containsKey(Labels.PUBLIC);
        };
    return open ? Optional.of(Tokens.Bearer.NOBODY) : Optional.empty();
  }

  /** Whether a sandbox runs; one that was made to resume by itself does now. */
  private boolean isAwake(Sandbox sandbox) {
    if (sandbox.state() == SandboxState.RUNNING) {
      return true;
    }
    if (!SandboxShapes.autoResumes(sandbox)) {
      return false;
    }
    Forkd forkd = host.everything();
    Lifetime lifetime = sandbox.given().lifetime();
    Duration time = lifetime.ttl().orElse(AFTER_RESUME);
    forkd.resume(sandbox.id());
    forkd.update(
        sandbox.id(),
        new SandboxChange(
            Optional.empty(),
            Optional.of(new Lifetime(Optional.of(time), lifetime.idle(), lifetime.atEnd())),
            Optional.empty(),
            Optional.empty()));
    return true;
  }

  private void envd(Exchange exchange, SandboxId id) throws IOException {
    String path = exchange.rawPath();
    switch (path) {
      case "/health" -> exchange.respondEmpty(204);
      case "/files" -> FilesRest.handle(session(id, exchange.query("username")), exchange);
      case "/metrics" -> exchange.respond(200, metrics(inside(id).metrics(PATIENCE)));
      case "/envs" -> exchange.respond(200, Environment.of(inside(id)));
      default -> {
        if (!path.startsWith("/process.Process/") && !path.startsWith("/filesystem.Filesystem/")) {
          throw new HttpProblem(404, "There is nothing of the sandbox at this path.");
        }
        rpc.handle(new Rpc.Call(session(id, basicUser(exchange)), exchange));
      }
    }
  }

  private Session session(SandboxId id, Optional<String> user) {
    return new Session(id, inside(id), user.filter(name -> !name.isEmpty()), users);
  }

  /** Clients name a user as if it would log in, without a password. */
  private static Optional<String> basicUser(Exchange exchange) {
    String prefix = "Basic ";
    Optional<String> basic =
        exchange
            .header("Authorization")
            .filter(value -> value.regionMatches(true, 0, prefix, 0, prefix.length()));
    try {
      return basic
          .map(value -> Base64.getDecoder().decode(value.substring(prefix.length()).strip()))
          .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
          .map(text -> text.contains(":") ? text.substring(0, text.indexOf(':')) : text);
    } catch (IllegalArgumentException e) {
      throw new HttpProblem(400, "The Authorization header is not base64.");
    }
  }

  private static JsonObject metrics(GuestMetrics metrics) {
    return Json.object()
        .with("ts", metrics.at().getEpochSecond())
        .with("cpu_count", metrics.cpus())
        .with("cpu_used_pct", metrics.cpuUsedPercent())
        .with("mem_total", metrics.memoryTotal())
        .with("mem_used", metrics.memoryUsed())
        .with("mem_cache", metrics.memoryCache())
        .with("disk_total", metrics.diskTotal())
        .with("disk_used", metrics.diskUsed());
  }

  @Override
  public void close() {
    watchers.close();
  }
}

package io.forkd.server;

import io.forkd.base.Locations;
import io.forkd.base.SandboxId;
import io.forkd.core.Forkd;
import io.forkd.server.e2b.ControlRoute;
import io.forkd.server.e2b.E2b;
import io.forkd.server.e2b.E2bHost;
import io.forkd.server.e2b.E2bSettings;
import io.forkd.server.http.ErrorShape;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpHandler;
import io.forkd.server.http.HttpProblem;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The way in for E2B's clients: their paths, hosts and headers, guarded as the daemon's own. */
final class E2bDoor implements E2bHost, AutoCloseable {
  /** What goes on inside of sandboxes; it is guarded by the sandboxes' own tokens. */
  private static final Operation INSIDE = Operation.any("/e2b/inside").open();

  private static final Operation PORT = Operation.any("/e2b/ports").role(Role.USER);

  private final Forkd core;
  private final View view;
  private final AccessGuard guard;
  private final ApiKeys keys;
  private final PortRoutes ports;
  private final Router control = new Router();
  private final E2b e2b;

  E2bDoor(
      Forkd core,
      View view,
      AccessGuard guard,
      ApiKeys keys,
      PortRoutes ports,
      Idempotency idempotency,
      E2bSettings settings,
      Locations locations) {
    this.core = core;
    this.view = view;
    this.guard = guard;
    this.keys = keys;
    this.ports = ports;
    this.e2b = new E2b(this, settings, locations.data());
    for (ControlRoute route : e2b.routes()) {
      HttpHandler handler = route.keyed() ? idempotency.around(route.handler()) : route.handler();
      control.add(operation(route), handler);
    }
  }

  private static Operation operation(ControlRoute route) {
    Operation operation =
        route.method().isEmpty()
            ? Operation.any(route.template())
            : Operation.of(route.method(), route.template());
    return operation.role(route.method().equals("GET") ? Role.READ_ONLY : Role.USER);
  }

  /** Empty when a request is no client's of E2B. */
  Optional<Router.Match> find(Exchange exchange) {
    Optional<HttpHandler> inside;
    try {
      inside = e2b.inside(exchange);
    } catch (HttpProblem e) {
      return Optional.empty(); // malformed for everybody, as the router will say
    }
    if (inside.isPresent()) {
      return Optional.of(new Router.Match(INSIDE, Map.of(), inside.get()));
    }
    Optional<Router.Match> match = control.find(exchange);
    if (match.isPresent()) {
      exchange.note(ErrorShape.class, E2b.ERRORS);
    }
    return match;
  }

  /** Whether what was found checks its callers itself. */
  static boolean isInside(Router.Match match) {
    return match.operation().equals(INSIDE);
  }

  @Override
  public Forkd of(Exchange exchange) {
    return view.of(exchange);
  }

  @Override
  public Forkd everything() {
    return core;
  }

  @Override
  public Optional<String> key(Exchange exchange) {
    return Principal.of(exchange).key();
  }

  @Override
  public Set<String> keys() {
    return keys.holding();
  }

  @Override
  public Pass letIn(Exchange exchange, SandboxId sandbox, Optional<String> key) {
    String owner = core.sandbox(sandbox).given().owner().map(name -> ":" + name).orElse("");
    Throttle.Pass pass =
        guard.admit(exchange, new Principal("e2b" + owner, Role.USER, Optional.empty(), key));
    exchange.note(Throttle.Pass.class, pass);
    return pass::close;
  }

  @Override
  public Optional<Pass> letInByKey(Exchange exchange, SandboxId sandbox) {
    if (Credentials.in(exchange).isEmpty()) {
      return Optional.empty();
    }
    Throttle.Pass pass = guard.check(exchange, Optional.of(PORT));
    try {
      view.of(exchange).sandbox(sandbox);
      return Optional.of(pass::close);
    } catch (RuntimeException e) {
      pass.close();
      throw e;
    }
  }

  @Override
  public void lasts(Exchange exchange) {
    Throttle.lasts(exchange);
  }

  @Override
  public HttpProblem stranger(Exchange exchange, String message) {
    return guard.stranger(exchange, message);
  }

  @Override
  public void proxy(Exchange exchange, SandboxId sandbox, int port) throws IOException {
    ports.pass(exchange, PortTarget.ofHost(sandbox, port), exchange.rawPath(), core);
  }

  @Override
  public void subject(Exchange exchange, Object name) {
    Subjects.note(exchange, name);
  }

  @Override
  public void close() {
    e2b.close();
  }
}

package io.forkd.server.e2b;

import io.forkd.server.http.ErrorShape;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpHandler;
import io.forkd.server.http.Json;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All that E2B's unmodified SDKs need of a daemon. */
public final class E2b implements AutoCloseable {
  /** How the control plane's clients are told of failures. */
  public static final ErrorShape ERRORS =
      (status, message) -> Json.object().with("code", status).with("message", message);

  private final E2bHost host;
  private final Tokens tokens;
  private final List<ControlRoute> routes;
  private final DataPlane dataPlane;

  /**
   * @param data the folder with the secret of sandboxes' tokens, which is made when it is missing
   */
  public E2b(E2bHost host, E2bSettings settings, Path data) {
    this.host = host;
    this.tokens = new Tokens(TokenSecret.in(data), host::keys);
    InstantSource clock = InstantSource.system();
    Templates templates = new Templates(settings.templates());
    SandboxShapes shapes = new SandboxShapes(host, tokens, settings.domain());
    routes =
        Stream.of(
                new SandboxCalls(host, templates, shapes, clock).routes(),
                new CloneCalls(host, shapes).routes(),
                new OtherCalls(host, templates).routes())
            .flatMap(List::stream)
            .toList();
    dataPlane = new DataPlane(host, tokens, clock);
  }

  /** The control plane, for who shows a key. */
  public List<ControlRoute> routes() {
    return routes;
  }

  /** What answers a request that is for the inside of a sandbox; it checks the token itself. */
  public Optional<HttpHandler> inside(Exchange exchange) {
    return Target.of(exchange, host.everything(), tokens)
        .map(target -> asked -> dataPlane.handle(asked, target));
  }

  @Override
  public void close() {
    dataPlane.close();
  }
}

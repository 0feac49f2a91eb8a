package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.core.Forkd;
import io.forkd.guest.GuestSocket;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Header;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.RawExchange;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Routes to the ports of sandboxes, over their agents' channels: no network is needed. */
final class PortRoutes {
  /** What a client upgrades to for a plain TCP connection. */
  static final String TCP_PROTOCOL = "forkd-tcp";

  private static final String ROOT = "/v1/sandboxes/{id}/ports/{port}";

  private final View forkd;
  private final PortTimes times;

  PortRoutes(View forkd, PortTimes times) {
    this.forkd = forkd;
    this.times = times;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.any(ROOT)
                .summary("Upgrade to forkd-tcp: a TCP connection to a port of a sandbox")
                .role(Role.USER)
                .path("port", Schema.whole(1, 65535), "a port on the guest's loopback")
                .answers(101)
                .answers(308)
                .fails(409, 502, 503, 504),
            this::connect)
        .add(
            Operation.any(ROOT + "/{rest...}")
                .summary("Pass a request, or a WebSocket, on to a port of a sandbox")
                .role(Role.USER)
                .path("port", Schema.whole(1, 65535), "a port on the guest's loopback")
                .path("rest", Schema.text(), "what the server there is asked for")
                .answers(200, new Operation.Answer("*/*", Optional.empty(), ""))
                .fails(409, 502, 503, 504),
            this::proxy);
  }

  private void connect(Exchange exchange) throws IOException {
    PortTarget target = PortTarget.of(exchange);
    RawExchange raw = exchange.raw();
    if (!asksForTcp(exchange, raw)) {
      forkd.of(exchange).sandbox(target.sandbox());
      String query = raw.query().map(text -> "?" + HttpSyntax.targetPart(text)).orElse("");
      exchange.setHeader("Location", target.prefix() + "/" + query);
      exchange.respondEmpty(308);
      return;
    }
    GuestLine line = new GuestLine(dial(forkd.of(exchange), target), times.idle());
    line.unguarded();
    try {
      raw.upgrade(
          List.of(new Header("Connection", "Upgrade"), new Header("Upgrade", TCP_PROTOCOL)),
          PortProxy.tunnelTo(line));
    } catch (IOException | RuntimeException e) {
      line.close();
      throw e;
    }
  }

  private static boolean asksForTcp(Exchange exchange, RawExchange raw) {
    return exchange.method().equals("GET")
        && raw.isHttp11()
        && raw.bodyLength().orElse(1) == 0
        && PortRequest.has(raw.headers(), "connection", "upgrade")
        && PortRequest.has(raw.headers(), "upgrade", TCP_PROTOCOL);
  }

  private void proxy(Exchange exchange) throws IOException {
    PortTarget target = PortTarget.of(exchange);
    pass(exchange, target, "/" + exchange.pathParameter("rest"), forkd.of(exchange));
  }

  /** Passes a request on to a port that its sender may use. */
  void pass(Exchange exchange, PortTarget target, String path, Forkd core) throws IOException {
    PortProxy proxy = new PortProxy(exchange, target, path, times);
    proxy.run(new GuestLine(dial(core, target), times.idle()));
  }

  private GuestSocket dial(Forkd core, PortTarget target) throws IOException {
    CompletableFuture<GuestSocket> dialled = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("dial")
        .start(
            () -> {
              try {
                GuestSocket socket = core.connect(target.sandbox(), target.port());
                if (!dialled.complete(socket)) {
                  socket.close();
                }
              } catch (RuntimeException | Error e) {
                dialled.completeExceptionally(e);
              }
            });
    try {
      return dialled.get(times.connect().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw refusal(e);
    } catch (TimeoutException e) {
      dialled.completeExceptionally(e);
      throw new HttpProblem(
          504,
          "Nothing on %s accepted a connection within %d s: look there for what it waits for."
              .formatted(target, times.connect().toSeconds()));
    } catch (InterruptedException e) {
      dialled.completeExceptionally(e);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted by the end of the daemon", e);
    }
  }

  /** What a guest does wrong is its client's to hear; it is not worth a line in the log. */
  private static RuntimeException refusal(ExecutionException e) {
    if (e.getCause() instanceof ForkdException known
        && (known.code() == ErrorCode.GUEST_FAILED || known.code() == ErrorCode.TIMEOUT)) {
      return new HttpProblem(known.code().httpStatus(), String.valueOf(known.getMessage()));
    }
    return e.getCause() instanceof RuntimeException failure
        ? failure
        : new IllegalStateException("Dialling failed", e);
  }
}

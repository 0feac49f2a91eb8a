package io.forkd.server;

import io.forkd.base.Tag;
import io.forkd.core.ForkSpec;
import io.forkd.server.http.Exchange;
import java.io.IOException;

/** Routes about pools of warm children. */
final class PoolRoutes {
  private final View forkd;

  PoolRoutes(View forkd) {
    this.forkd = forkd;
  }

  void addTo(Router router) {
    router.on("GET", "/v1/pools", this::list).on("PUT", "/v1/pools/{tag}", this::set);
  }

  private void list(Exchange exchange) throws IOException {
    exchange.respond(200, forkd.of(exchange).pools().stream().map(Shapes::pool).toList());
  }

  private void set(Exchange exchange) throws IOException {
    Tag tag = PathNames.tag(exchange);
    Fields fields = BodyReader.read(exchange.body());
    int warm = fields.requiredInteger("warm", 0, ForkSpec.MOST);
    exchange.respond(200, Shapes.pool(forkd.of(exchange).setPool(tag, warm)));
  }
}

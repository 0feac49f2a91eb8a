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
    router
        .add(
            Operation.get("/v1/pools")
                .summary("List the pools of warm children")
                .role(Role.READ_ONLY)
                .answers(200, Schema.listOf(Schemas.POOL)),
            this::list)
        .add(
            Operation.put("/v1/pools/{tag}")
                .summary("Keep so many children of a snapshot warm; 0 ends the pool")
                .role(Role.OPERATOR)
                .body(Schema.shape("PoolRequest").with("warm", Schema.whole(0, ForkSpec.MOST)))
                .answers(200, Schemas.POOL)
                .fails(409, 503),
            this::set);
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

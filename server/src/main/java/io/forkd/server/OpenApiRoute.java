package io.forkd.server;

import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import java.io.IOException;
import java.util.Optional;

/** Serves the API's own description. */
final class OpenApiRoute {
  private final Router router;
  private volatile Optional<byte[]> document = Optional.empty();

  OpenApiRoute(Router router) {
    this.router = router;
  }

  void add() {
    router.add(
        Operation.get("/openapi.json")
            .summary("This API as an OpenAPI 3.1 document")
            .open()
            .answers(200, Schema.anything()),
        this::answer);
  }

  /** Anybody may ask, so it is written once. By then the router has all routes. */
  private void answer(Exchange exchange) throws IOException {
    byte[] bytes = document.orElseGet(() -> Json.bytes(OpenApi.of(router.operations())));
    document = Optional.of(bytes);
    exchange.respond(200, Operation.JSON, bytes);
  }
}

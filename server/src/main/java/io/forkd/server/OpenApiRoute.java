package io.forkd.server;

import io.forkd.server.http.Json;

/** Serves the API's own description. */
final class OpenApiRoute {
  private OpenApiRoute() {}

  /** Adds the route; what the router has when somebody asks is what is described. */
  static void addTo(Router router) {
    router.add(
        Operation.get("/openapi.json")
            .summary("This API as an OpenAPI 3.1 document")
            .open()
            .answers(200, Schema.anything()),
        exchange ->
            exchange.respond(200, Operation.JSON, Json.bytes(OpenApi.of(router.operations()))));
  }
}

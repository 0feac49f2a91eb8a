package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.time.Instant;

/** Routes about keys and who holds them. */
final class KeyRoutes {
  private final ApiKeys keys;

  KeyRoutes(ApiKeys keys) {
    this.keys = keys;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.get("/v1/whoami")
                .summary("Who the daemon takes the caller for")
                .role(Role.READ_ONLY)
                .answers(200, KeySchemas.WHOAMI),
            KeyRoutes::whoAmI)
        .add(
            Operation.get("/v1/keys")
                .summary("All keys, without their secrets")
                .role(Role.ADMIN)
                .answers(200, Schema.listOf(KeySchemas.KEY)),
            this::list)
        .add(
            Operation.post("/v1/keys")
                .summary("Make a key; its secret is shown this once")
                .role(Role.ADMIN)
                .body(KeySchemas.NEW_KEY)
                .answers(201, KeySchemas.CREATED_KEY)
                .fails(409),
            this::create)
        .add(
            Operation.delete("/v1/keys/{key}")
                .summary("Revoke a key, and end what was opened with it")
                .role(Role.ADMIN)
                .path("key", KeySchemas.KEY_ID, "the key's id, as the list shows it")
                .answers(204)
                .fails(404),
            this::revoke);
  }

  private static void whoAmI(Exchange exchange) throws IOException {
    Principal principal = Principal.of(exchange);
    exchange.respond(
        200,
        Json.object()
            .with("name", principal.name())
            .with("role", principal.role().text())
            .withOptional("owner", principal.owner()));
  }

  private void list(Exchange exchange) throws IOException {
    exchange.respond(200, keys.all().stream().map(KeyRoutes::shape).toList());
  }

  private void create(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    String name = fields.requiredString("name");
    Role role =
        fields
            .oneOf("role", Role.class)
            .orElseThrow(
                () ->
                    ForkdException.badRequest(
                        "role is missing: use read_only, user, operator or admin."));
    ApiKeys.Created created =
        keys.create(name, role, fields.string("owner"), fields.ttl("expires_in_secs"));
    Subjects.note(exchange, created.kept().id());
    exchange.respond(
        201,
        shape(created.kept())
            .with("key", created.key().text())
            .with("e2b_key", created.key().hexText()));
  }

  private void revoke(Exchange exchange) throws IOException {
    keys.revoke(exchange.pathParameter("key"));
    exchange.respondEmpty(204);
  }

  private static JsonObject shape(KeyRecord key) {
    return Json.object()
        .with("id", key.id())
        .with("name", key.name())
        .with("role", key.role().text())
        .withOptional("owner", key.owner())
        .with("created_at_unix", key.createdAt().getEpochSecond())
        .withOptional("expires_at_unix", key.expiresAt().map(Instant::getEpochSecond))
        .withOptional("last_used_unix", key.lastUsed().map(Instant::getEpochSecond));
  }
}

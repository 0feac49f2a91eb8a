package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import io.forkd.base.Tag;
import io.forkd.core.Forkd;
import io.forkd.core.RemoveMode;
import io.forkd.core.SnapshotSpec;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Routes about snapshots. */
final class SnapshotRoutes {
  private final View forkd;
  private final Duration heartbeat;
  private final Idempotency idempotency;

  SnapshotRoutes(View forkd, Duration heartbeat, Idempotency idempotency) {
    this.idempotency = idempotency;
    this.forkd = forkd;
    this.heartbeat = heartbeat;
  }

  void addTo(Router router) {
    router
        .add(
            Operation.get("/v1/snapshots")
                .summary("List the snapshots")
                .role(Role.READ_ONLY)
                .answers(200, Schema.listOf(SnapshotSchemas.SNAPSHOT)),
            this::list)
        .add(
            Idempotency.keyed(
                Operation.post("/v1/snapshots")
                    .summary("Boot and warm a parent and keep it as a snapshot")
                    .role(Role.OPERATOR)
                    .header("Accept", Schema.text(), "application/x-ndjson to be told each step")
                    .body(SnapshotSchemas.CREATE)
                    .answers(200, SnapshotStream.ANSWER)
                    .answers(201, SnapshotSchemas.SNAPSHOT)
                    .fails(409, 502, 503, 504)),
            idempotency.around(this::create))
        .add(
            Operation.get("/v1/snapshots/{tag}/info")
                .summary("A snapshot and its family")
                .role(Role.READ_ONLY)
                .answers(200, SnapshotSchemas.DETAIL),
            this::info)
        .add(
            Operation.delete("/v1/snapshots/{tag}")
                .summary("Remove a snapshot")
                .role(Role.USER)
                .query("cascade", Schema.flag(), "Remove its dependents too")
                .query("force", Schema.flag(), "Leave its dependents behind, broken")
                .answers(204)
                .fails(409),
            this::remove);
  }

  private void list(Exchange exchange) throws IOException {
    exchange.respond(
        200, forkd.of(exchange).snapshots().stream().map(SnapshotShapes::snapshot).toList());
  }

  private void info(Exchange exchange) throws IOException {
    exchange.respond(
        200, SnapshotShapes.detail(forkd.of(exchange).snapshotDetail(PathNames.tag(exchange))));
  }

  private void create(Exchange exchange) throws IOException {
    Fields fields = BodyReader.read(exchange.body());
    SnapshotSpec spec = spec(fields);
    Subjects.note(exchange, spec.tag());
    Warnings.of(fields, List.of("rw"), List.of("tap", "image", "ready")).addTo(exchange);
    Forkd mine = forkd.of(exchange);
    if (exchange.header("Accept").orElse("").contains(SnapshotStream.CONTENT_TYPE)) {
      new SnapshotStream(exchange, heartbeat).run(progress -> mine.createSnapshot(spec, progress));
    } else {
      exchange.respond(201, SnapshotShapes.snapshot(mine.createSnapshot(spec, Progress.NONE)));
    }
  }

  private void remove(Exchange exchange) throws IOException {
    Tag tag = PathNames.tag(exchange);
    boolean cascade = Queries.flag(exchange, "cascade", false);
    boolean force = Queries.flag(exchange, "force", false);
    if (cascade && force) {
      throw ForkdException.badRequest(
          "cascade and force exclude each other: cascade removes dependents too, force leaves them"
              + " broken.");
    }
    RemoveMode mode = cascade ? RemoveMode.CASCADE : force ? RemoveMode.FORCE : RemoveMode.SAFE;
    List<Tag> removed = forkd.of(exchange).removeSnapshot(tag, mode);
    Subjects.note(exchange, removed.stream().filter(one -> !one.equals(tag)).toList());
    exchange.respondEmpty(204);
  }

  private static SnapshotSpec spec(Fields fields) {
    return new SnapshotSpec(
        fields.requiredTag("tag"),
        source(fields),
        fields.integer("memory_mib", 128, 1 << 20),
        fields.integer("vcpus", 1, 64),
        fields.string("warmup"),
        bootWait(fields));
  }

  /**
   * Older clients send {@code boot_wait_secs} as a time to let the guest settle, often less than an
   * emulated guest needs to boot: it can make the wait for the guest longer, never shorter.
   */
  private static Duration bootWait(Fields fields) {
    Duration settle = fields.seconds("boot_wait_secs", 1, 3600).orElse(Duration.ZERO);
    Duration usual = SnapshotSpec.DEFAULT_BOOT_WAIT;
    return fields
        .seconds("ready_timeout_secs", 1, 3600)
        .orElse(settle.compareTo(usual) > 0 ? settle : usual);
  }

  private static SnapshotSpec.Source source(Fields fields) {
    Optional<String> recipe = fields.string("recipe");
    Optional<Path> kernel = fields.absolutePath("kernel");
    Optional<Path> rootfs = fields.absolutePath("rootfs");
    if (recipe.isPresent() && (rootfs.isPresent() || kernel.isPresent())) {
      throw ForkdException.badRequest("recipe excludes kernel and rootfs: give one or the other.");
    }
    if (recipe.isPresent()) {
      return new SnapshotSpec.FromRecipe(recipeName(recipe.get()));
    }
    return new SnapshotSpec.FromFiles(
        kernel,
        rootfs.orElseThrow(
            () ->
                ForkdException.badRequest(
                    "recipe or rootfs is missing: say what the guest is made of.")));
  }

  /** A bare name is looked up in the recipes folder, so it must not lead out of it. */
  private static String recipeName(String recipe) {
    if (recipe.startsWith("/") && recipe.indexOf('\0') < 0) {
      return recipe;
    }
    try {
      return Tag.of(recipe).value();
    } catch (ForkdException e) {
      throw new ForkdException(
          e.code(),
          "recipe is neither a recipe's name nor an absolute path: %s".formatted(e.getMessage()),
          e);
    }
  }
}

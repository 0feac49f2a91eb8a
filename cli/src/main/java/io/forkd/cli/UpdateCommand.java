package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code forkd update}: changes what sandboxes were given. */
@Command(
    name = "update",
    description = "Change a sandbox's limits, lifetime, egress and labels while it runs.")
final class UpdateCommand extends ForkdCommand {
  @Parameters(arity = "1..*", paramLabel = "ID", description = "The sandboxes.")
  private List<String> ids = new ArrayList<>();

  @Mixin private LimitOptions limits = new LimitOptions();

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      description = "End its time so long from now, 90s, 15m, 2h or 7d; none: never.")
  private Optional<String> ttl = Optional.empty();

  @Option(
      names = "--idle",
      paramLabel = "TIME",
      description = "End its time when nobody called it for so long; none: never.")
  private Optional<String> idle = Optional.empty();

  @Mixin private PolicyOptions policies = new PolicyOptions();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "A label to add or change; may be repeated.")
  private List<String> labels = new ArrayList<>();

  @Option(
      names = "--unlabel",
      paramLabel = "NAME",
      description = "A label to remove; may be repeated.")
  private List<String> removed = new ArrayList<>();

  UpdateCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    ids.forEach(SandboxId::of);
    Map<String, String> added = Labels.parse(labels);
    SandboxUpdate update = update();
    boolean relabels = !added.isEmpty() || !removed.isEmpty();
    if (update.isEmpty() && !relabels) {
      throw CliException.usage("Say what to change: `forkd update --help` lists it.");
    }
    try (ForkdClient client = daemon()) {
      return Each.of(
          terminal(),
          json,
          "updated",
          ids,
          id -> client.update(id, relabels ? relabelled(client, id, update, added) : update));
    }
  }

  private SandboxUpdate update() {
    SandboxUpdate update = SandboxUpdate.nothing();
    update =
        with(
            update,
            limits.cpus(),
            (u, most) -> most.change(u, SandboxUpdate::cpus, SandboxUpdate::noCpuLimit));
    update =
        with(
            update,
            limits.memoryMib(),
            (u, most) ->
                most.change(u, SandboxUpdate::memoryLimitMib, SandboxUpdate::noMemoryLimit));
    update =
        with(
            update,
            limits.pids(),
            (u, most) -> most.change(u, SandboxUpdate::pids, SandboxUpdate::noPidsLimit));
    update =
        with(
            update,
            limits.ioBytesPerSec(),
            (u, most) -> most.change(u, SandboxUpdate::ioBytesPerSec, SandboxUpdate::noIoLimit));
    update =
        with(update, ttl, (u, text) -> text.equals(Limit.NONE) ? u.noTtl() : u.ttl(time(text)));
    update =
        with(update, idle, (u, text) -> text.equals(Limit.NONE) ? u.noIdle() : u.idle(time(text)));
    update = with(update, policies.onTimeout(), SandboxUpdate::onTimeout);
    return with(update, policies.egress(), SandboxUpdate::egress);
  }

  private static <T> SandboxUpdate with(
      SandboxUpdate update, Optional<T> value, BiFunction<SandboxUpdate, T, SandboxUpdate> change) {
    return value.map(present -> change.apply(update, present)).orElse(update);
  }

  private static Duration time(String text) {
    try {
      return new DurationConverter().convert(text);
    } catch (TypeConversionException e) {
      throw CliException.usage("%s, or none.".formatted(e.getMessage()));
    }
  }

  /** The daemon takes all labels or none, so those that stay are read first. */
  private SandboxUpdate relabelled(
      ForkdClient client, String id, SandboxUpdate update, Map<String, String> added) {
    Map<String, String> all = new LinkedHashMap<>(client.sandbox(id).labels());
    removed.forEach(all::remove);
    all.putAll(added);
    return update.labels(all);
  }
}

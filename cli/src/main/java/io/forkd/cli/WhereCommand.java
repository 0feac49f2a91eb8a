package io.forkd.cli;

import io.forkd.base.Locations;
import io.forkd.client.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code forkd where}: says where forkd keeps things and how much they take. */
@Command(name = "where", description = "Say where forkd keeps things and how much space they take.")
final class WhereCommand extends ForkdCommand {
  WhereCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    Table table = new Table("WHAT", "PATH", ">SIZE");
    places(context)
        .forEach(
            (name, path) -> {
              long bytes = DiskUse.of(path);
              facts.put(
                  name,
                  JsonObject.ofPairs("path", path, "exists", Files.exists(path), "bytes", bytes));
              table.row(name, path, Files.exists(path) ? Units.bytes(bytes) : "not there");
            });
    if (json) {
      terminal().json(facts);
    } else {
      table.print(terminal());
    }
    return ExitCode.OK;
  }

  static Map<String, Path> places(Context context) {
    Locations locations = context.locations();
    Map<String, Path> places = new LinkedHashMap<>();
    places.put("data", locations.data());
    places.put("snapshots", locations.data().resolve("snapshots"));
    places.put("images", locations.data().resolve("images"));
    places.put("log", locations.log());
    places.put("run", locations.run());
    places.put("socket", locations.socket());
    places.put("recipes", context.recipes());
    Path build = context.home().resolve("build");
    if (Files.isDirectory(build)) {
      places.put("build", build);
    }
    return places;
  }
}

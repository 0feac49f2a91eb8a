package io.forkd.bench;

import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The folder an OCI runtime starts a container from: one file, and a root it may not change. */
final class OciBundle {
  private static final List<String> NAMESPACES = List.of("pid", "network", "ipc", "uts", "mount");

  private OciBundle() {}

  /** Writes a bundle whose container does the workload once. */
  static void write(Path folder, Path root) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("config.json"), Json.write(config(root)));
  }

  static JsonObject config(Path root) {
    return JsonObject.ofPairs(
        "ociVersion",
        "1.0.0",
        "process",
        process(),
        "root",
        Map.of("path", root.toString(), "readonly", true),
        "hostname",
        "bench",
        "mounts",
        List.of(
            mount("/proc", "proc", List.of("nosuid", "noexec", "nodev")),
            mount("/dev", "tmpfs", List.of("nosuid", "strictatime", "mode=755", "size=65536k")),
            mount("/tmp", "tmpfs", List.of("nosuid", "nodev", "mode=1777"))),
        "linux",
        JsonObject.ofPairs(
            "namespaces",
            NAMESPACES.stream().map(type -> Map.of("type", type)).toList(),
            "resources",
            Map.of("devices", List.of(Map.of("allow", false, "access", "rwm")))));
  }

  private static JsonObject process() {
    return JsonObject.ofPairs(
        "terminal",
        false,
        "user",
        Map.of("uid", 0, "gid", 0),
        "args",
        Workload.PROGRAM,
        "env",
        Workload.ENVIRONMENT.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .sorted()
            .toList(),
        "cwd",
        "/",
        "capabilities",
        JsonObject.ofPairs("bounding", List.of(), "effective", List.of(), "permitted", List.of()),
        "noNewPrivileges",
        true);
  }

  private static JsonObject mount(String destination, String type, List<String> options) {
    return JsonObject.ofPairs(
        "destination", destination, "type", type, "source", type, "options", options);
  }
}

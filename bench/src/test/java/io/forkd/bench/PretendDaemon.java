package io.forkd.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.Endpoint;
import io.forkd.client.FakeDaemon;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A daemon whose children are this process and whose pool is always full. */
final class PretendDaemon implements AutoCloseable {
  private final Path folder;
  private final FakeDaemon door;
  private final Set<String> living = new LinkedHashSet<>();
  private final List<Integer> poolSizes = new ArrayList<>();
  private String answer = Workload.ANSWER;
  private boolean restored;
  private int pool;
  private int forked;
  private int mostLiving;

  private PretendDaemon(Path folder) throws IOException {
    this.folder = folder;
    this.door =
        FakeDaemon.start(
            (request, out) -> {
              out.write(answer(request).getBytes(UTF_8));
              out.flush();
              return true;
            });
  }

  static PretendDaemon start(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("run"));
    return new PretendDaemon(folder);
  }

  Endpoint endpoint() {
    return door.endpoint();
  }

  synchronized void answer(String text) {
    answer = text;
  }

  synchronized void tellRestored() {
    restored = true;
  }

  synchronized void pool(int size) {
    pool = size;
  }

  synchronized int pool() {
    return pool;
  }

  synchronized List<Integer> poolSizes() {
    return List.copyOf(poolSizes);
  }

  synchronized Set<String> living() {
    return Set.copyOf(living);
  }

  synchronized int mostLiving() {
    return mostLiving;
  }

  private synchronized String answer(FakeDaemon.Request request) {
    String call = request.method() + " " + request.path();
    return switch (call) {
      case "GET /v1/snapshots" -> json(200, List.of(snapshot()));
      case "GET /v1/status" -> json(200, status());
      case "GET /v1/pools" -> json(200, pool == 0 ? List.of() : List.of(poolInfo()));
      case "PUT /v1/pools/py" -> resize(Json.parseObject(request.body()).integer("warm"));
      case "GET /v1/sandboxes" -> json(200, List.of());
      case "POST /v1/sandboxes" -> fork(Json.parseObject(request.body()).integer("n"));
      default -> onSandbox(request);
    };
  }

  private String onSandbox(FakeDaemon.Request request) {
    String id = request.path().split("/")[3];
    if (!living.contains(id)) {
      return json(404, JsonObject.ofPairs("error", "no sandbox " + id));
    }
    if (request.method().equals("DELETE")) {
      living.remove(id);
      return json(204, "");
    }
    return json(200, JsonObject.ofPairs("result", answer, "exit_code", 0));
  }

  private String fork(int n) {
    List<JsonObject> children = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      String id = "sb-0123456789-%04d".formatted(forked++);
      living.add(id);
      children.add(
          JsonObject.ofPairs(
              "id",
              id,
              "snapshot_tag",
              "py",
              "pid",
              ProcessHandle.current().pid(),
              "pooled",
              pool > 0,
              "phases_ms",
              JsonObject.ofPairs("spawn", 5.0, "total", 9.5),
              "restored",
              restored ? JsonObject.ofPairs("cpu_ms", 41.5, "anonymous_kib", 20000) : null));
    }
    mostLiving = Math.max(mostLiving, living.size());
    return json(201, children);
  }

  private String resize(int size) {
    pool = size;
    poolSizes.add(size);
    return json(200, poolInfo());
  }

  private JsonObject poolInfo() {
    return JsonObject.ofPairs("tag", "py", "warm", pool, "ready", pool, "filling", 0);
  }

  private JsonObject status() {
    return JsonObject.ofPairs(
        "version",
        "0",
        "pid",
        ProcessHandle.current().pid(),
        "data",
        folder.toString(),
        "run",
        folder.resolve("run").toString());
  }

  private JsonObject snapshot() {
    return JsonObject.ofPairs(
        "tag",
        "py",
        "dir",
        folder.resolve("snapshots/py").toString(),
        "arch",
        "x86_64",
        "vmm",
        "qemu 7",
        "machine",
        "microvm/tcg",
        "memory_mib",
        512,
        "runtimes",
        List.of("python"));
  }

  private static String json(int status, Object body) {
    return FakeDaemon.reply(status, "", body instanceof String text ? text : Json.write(body));
  }

  @Override
  public void close() {
    door.close();
  }
}

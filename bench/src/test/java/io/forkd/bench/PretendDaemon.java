package io.forkd.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.Endpoint;
import io.forkd.client.FakeDaemon;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A daemon whose children are this process, whose pool is always full and whose branches take no
 * time; what has dependents or is being written cannot be removed.
 */
final class PretendDaemon implements AutoCloseable {
  private final Path folder;
  private final FakeDaemon door;
  private final PretendFamily family = new PretendFamily();
  private final PretendFiles files = new PretendFiles();
  private final List<Integer> poolSizes = new ArrayList<>();
  private volatile String timing = "Server-Timing: agent;dur=0.001\r\n";
  private String answer = Workload.ANSWER;
  private boolean restored;
  private volatile boolean programsRun = true;
  private int pool;

  private PretendDaemon(Path folder) throws IOException {
    this.folder = folder;
    this.door =
        FakeDaemon.start(
            (request, out) -> {
              if (request.method().equals("GET") && request.path().contains("/files?")) {
                return files.read(out);
              }
              String answer = request.path().endsWith("/exec") ? exec(request) : answer(request);
              out.write(answer.getBytes(UTF_8));
              out.flush();
              return !answer.isEmpty();
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

  void tellNoTiming() {
    timing = "";
  }

  void programsEndAtOnce() {
    programsRun = false;
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
    return family.living();
  }

  synchronized int mostLiving() {
    return family.mostLiving();
  }

  /** For tests to set it up and look into it, when no request is under way. */
  PretendFamily family() {
    return family;
  }

  /** What was written comes back otherwise. */
  void spoilFiles() {
    files.spoil();
  }

  private synchronized String answer(FakeDaemon.Request request) {
    String call = request.method() + " " + request.path();
    return switch (call) {
      case "GET /v1/snapshots" -> json(200, family.snapshots(snapshot()));
      case "GET /metrics" ->
          FakeDaemon.reply(200, "", "jvm_memory_used_bytes{area=\"heap\"} 104857600\nother 1\n");
      case "GET /v1/status" -> json(200, status());
      case "GET /v1/pools" -> json(200, pool == 0 ? List.of() : List.of(poolInfo()));
      case "PUT /v1/pools/py" -> resize(Json.parseObject(request.body()).integer("warm"));
      case "GET /v1/sandboxes" -> json(200, family.sandboxes());
      case "POST /v1/sandboxes" ->
          json(
              201,
              family.fork("py", Json.parseObject(request.body()).integer("n"), this::decorate));
      default -> onOne(request);
    };
  }

  /** A program runs until its sandbox is killed, or ends at once. */
  private String exec(FakeDaemon.Request request) {
    while (programsRun && living().contains(request.path().split("/")[3])) {
      Settling.pause(Duration.ofMillis(2));
    }
    return programsRun
        ? json(502, JsonObject.ofPairs("error", "the sandbox was killed"))
        : json(200, JsonObject.ofPairs("exit_code", 137, "stdout", "", "stderr", ""));
  }

  private JsonObject decorate(JsonObject child) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(child.values());
    more.put("pooled", pool > 0);
    more.put(
        "restored", restored ? JsonObject.ofPairs("cpu_ms", 41.5, "anonymous_kib", 20000) : null);
    return new JsonObject(more);
  }

  private String onOne(FakeDaemon.Request request) {
    String[] path = request.path().split("/");
    if (path[2].equals("snapshots")) {
      return family.remove(path[3]);
    }
    String id = path[3];
    if (!family.living().contains(id)) {
      return json(404, JsonObject.ofPairs("error", "no sandbox " + id));
    }
    if (request.method().equals("DELETE")) {
      family.kill(id);
      return json(204, "");
    }
    if (path[4].startsWith("files?")) {
      return json(200, files.write(request.bytes()));
    }
    JsonObject body = Json.parseObject(request.body());
    return switch (path[4]) {
      case "branch" -> family.branch(id, body);
      case "fork" -> family.fanOut(id, body);
      default -> eval(id, body.text("code"));
    };
  }

  private String eval(String id, String code) {
    String result = code.equals(Workload.EXPRESSION) ? answer : family.eval(id, code);
    return FakeDaemon.reply(
        200, timing, Json.write(JsonObject.ofPairs("result", result, "exit_code", 0)));
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

  static String json(int status, Object body) {
    return FakeDaemon.reply(status, "", body instanceof String text ? text : Json.write(body));
  }

  @Override
  public void close() {
    door.close();
  }
}

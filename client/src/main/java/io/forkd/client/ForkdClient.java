package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.base.Progress;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A connection to a forkd daemon. Any thread may use it; every method waits for its answer and
 * throws {@link ForkdClientException} when there is none or it says no.
 */
public final class ForkdClient implements AutoCloseable {
  private static final Duration SHORT = Duration.ofSeconds(30);
  private static final Duration FORK = Duration.ofMinutes(15);
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final Duration HEARTBEAT_LIMIT = Duration.ofMinutes(2);

  private final Transport transport;

  private ForkdClient(Transport transport) {
    this.transport = transport;
  }

  /** Opens no connection yet: the first call does. */
  public static ForkdClient connect(Endpoint endpoint) {
    // Not a pattern switch: the JVM makes a class for each at run time, which delays a first call.
    if (endpoint instanceof Endpoint.Unix unix) {
      return new ForkdClient(new UnixTransport(unix));
    }
    return new ForkdClient(new NetTransport((Endpoint.Tcp) endpoint));
  }

  /** Whether a daemon answers within the time given. */
  public boolean healthy(Duration within) {
    try {
      return transport
              .send(new Call("GET", "/healthz", Optional.empty(), false, within), line -> {})
              .status()
          == 200;
    } catch (ForkdClientException e) {
      return false;
    }
  }

  /** The daemon's version. */
  public String version() {
    return get("/version").text("version");
  }

  public DaemonStatus status() {
    return DaemonStatus.from(get("/v1/status"));
  }

  /** Asks the daemon to end; sandboxes go on running. Only over a Unix socket. */
  public void shutdown() {
    call("POST", "/v1/shutdown", Optional.empty(), SHORT);
  }

  /** Boots and warms a parent and keeps it as a snapshot, telling each step as it begins. */
  public SnapshotInfo createSnapshot(SnapshotRequest request, Progress progress) {
    SnapshotStream stream = new SnapshotStream(progress);
    Reply reply =
        checked(
            new Call(
                "POST",
                "/v1/snapshots",
                Optional.of(request.toJson().toString().getBytes(UTF_8)),
                true,
                HEARTBEAT_LIMIT),
            stream);
    return reply.body().length > 0
        ? SnapshotInfo.from(Json.parseObject(reply.text()))
        : stream.result();
  }

  public List<SnapshotInfo> snapshots() {
    return list("/v1/snapshots").stream().map(SnapshotInfo::from).toList();
  }

  public void removeSnapshot(String tag) {
    call("DELETE", "/v1/snapshots/" + segment(tag), Optional.empty(), Duration.ofMinutes(2));
  }

  /** Makes n children of a snapshot; those that could not be made are told in the outcome. */
  public ForkOutcome fork(String tag, int n, Optional<Integer> memoryLimitMib) {
    return fork(tag, n, memoryLimitMib, false);
  }

  /**
   * Makes n children of a snapshot.
   *
   * @param measure whether each child's cost is to be noted when it is restored and has not run
   *     yet; such children never come from a pool
   */
  public ForkOutcome fork(String tag, int n, Optional<Integer> memoryLimitMib, boolean measure) {
    JsonObject body =
        JsonObject.ofPairs("snapshot_tag", tag, "n", n, "measure", measure)
            .with("memory_limit_mib", memoryLimitMib);
    Reply reply = call("POST", "/v1/sandboxes", Optional.of(body), FORK);
    List<ForkOutcome.Failure> failures =
        reply
            .header("Forkd-Failures")
            .map(text -> JsonObject.listOf(Json.parse(text)))
            .orElse(List.of())
            .stream()
            .map(ForkOutcome.Failure::from)
            .toList();
    return new ForkOutcome(
        JsonObject.listOf(Json.parse(reply.text())).stream().map(SandboxInfo::from).toList(),
        failures);
  }

  public List<SandboxInfo> sandboxes() {
    return list("/v1/sandboxes").stream().map(SandboxInfo::from).toList();
  }

  public SandboxInfo sandbox(String id) {
    return SandboxInfo.from(get("/v1/sandboxes/" + segment(id)));
  }

  public void kill(String id) {
    call("DELETE", "/v1/sandboxes/" + segment(id), Optional.empty(), SHORT);
  }

  /** Asks the guest's agent for a sign of life. */
  public JsonObject ping(String id) {
    return Json.parseObject(
        call("POST", "/v1/sandboxes/" + segment(id) + "/ping", Optional.empty(), SHORT).text());
  }

  /** Runs a program in a sandbox and waits for its end, at most for {@code timeout}. */
  public ExecOutcome exec(String id, List<String> args, Duration timeout) {
    JsonObject body = JsonObject.ofPairs("timeout_secs", timeout.toSeconds()).with("args", args);
    return ExecOutcome.from(
        Json.parseObject(
            call(
                    "POST",
                    "/v1/sandboxes/" + segment(id) + "/exec",
                    Optional.of(body),
                    timeout.plus(GRACE))
                .text()));
  }

  /** Runs code in a sandbox's warmed runtime, at most for {@code timeout}. */
  public EvalOutcome eval(String id, String code, Duration timeout) {
    JsonObject body = JsonObject.ofPairs("code", code, "timeout_secs", timeout.toSeconds());
    return EvalOutcome.from(
        Json.parseObject(
            call(
                    "POST",
                    "/v1/sandboxes/" + segment(id) + "/eval",
                    Optional.of(body),
                    timeout.plus(GRACE))
                .text()));
  }

  public List<PoolInfo> pools() {
    return list("/v1/pools").stream().map(PoolInfo::from).toList();
  }

  /** Keeps {@code warm} children of a snapshot ready; 0 ends the pool. */
  public PoolInfo setPool(String tag, int warm) {
    return PoolInfo.from(
        Json.parseObject(
            call(
                    "PUT",
                    "/v1/pools/" + segment(tag),
                    Optional.of(JsonObject.ofPairs("warm", warm)),
                    SHORT)
                .text()));
  }

  @Override
  public void close() {
    transport.close();
  }

  private JsonObject get(String path) {
    return Json.parseObject(call("GET", path, Optional.empty(), SHORT).text());
  }

  private List<JsonObject> list(String path) {
    return JsonObject.listOf(Json.parse(call("GET", path, Optional.empty(), SHORT).text()));
  }

  private Reply call(String method, String path, Optional<JsonObject> body, Duration timeout) {
    Optional<byte[]> bytes = body.map(json -> json.toString().getBytes(UTF_8));
    return checked(new Call(method, path, bytes, false, timeout), line -> {});
  }

  private Reply checked(Call call, Consumer<String> lines) {
    Reply reply = transport.send(call, lines);
    if (reply.status() / 100 != 2) {
      throw new ForkdClientException(reply.status(), errorText(reply));
    }
    return reply;
  }

  private static String errorText(Reply reply) {
    try {
      return Json.parseObject(reply.text())
          .optionalText("error")
          .orElse("The daemon answered with status " + reply.status() + ".");
    } catch (ForkdClientException e) {
      return "The daemon answered with status %d and no reason.".formatted(reply.status());
    }
  }

  private static String segment(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw new ForkdClientException(400, "'%s' is no name.".formatted(name));
    }
    return URLEncoder.encode(name, UTF_8).replace("+", "%20");
  }
}

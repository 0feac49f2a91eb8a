package io.forkd.client;

import static io.forkd.client.Requests.segment;

import io.forkd.base.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A connection to a forkd daemon. Any thread may use it; every method waits for its answer and
 * throws {@link ForkdClientException} when there is none or it says no.
 */
public final class ForkdClient implements AutoCloseable {
  private static final Duration SHORT = Duration.ofSeconds(30);
  static final Duration LONG = Duration.ofMinutes(15);
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final Endpoint endpoint;
  private final Requests requests;

  private ForkdClient(Endpoint endpoint, Requests requests) {
    this.endpoint = endpoint;
    this.requests = requests;
  }

  /** Opens no connection yet: the first call does. */
  public static ForkdClient connect(Endpoint endpoint) {
    return new ForkdClient(endpoint, new Requests(transport(endpoint), false));
  }

  /**
   * The same, but calls outlast a daemon that is away for no longer than said, such as for a
   * restart. What makes something carries a key, so that sending it again makes nothing twice.
   */
  public static ForkdClient patient(Endpoint endpoint, Duration patience) {
    return new ForkdClient(
        endpoint, new Requests(new PatientTransport(transport(endpoint), patience), true));
  }

  private static Transport transport(Endpoint endpoint) {
    // Not a pattern switch: the JVM makes a class for each at run time, which delays a first call.
    return endpoint instanceof Endpoint.Unix unix
        ? new UnixTransport(unix)
        : new NetTransport((Endpoint.Tcp) endpoint);
  }

  /** Whether a daemon answers within the time given. */
  public boolean healthy(Duration within) {
    return requests.healthy(within);
  }

  public Events events() {
    return new Events(requests);
  }

  public Usage usage() {
    return new Usage(requests);
  }

  public Workspaces workspaces() {
    return new Workspaces(requests);
  }

  /** The daemon's version. */
  public String version() {
    return requests.get("/version").text("version");
  }

  public DaemonStatus status() {
    return DaemonStatus.from(requests.get("/v1/status"));
  }

  /** Who the daemon takes this client for. */
  public CallerInfo whoAmI() {
    return CallerInfo.from(requests.get("/v1/whoami"));
  }

  public Keys keys() {
    return new Keys(requests);
  }

  /** Asks the daemon to end; sandboxes go on running. Only over a Unix socket. */
  public void shutdown() {
    requests.call("POST", "/v1/shutdown", Optional.empty(), SHORT);
  }

  /** Boots and warms a parent and keeps it as a snapshot, telling each step as it begins. */
  public SnapshotInfo createSnapshot(SnapshotRequest request, Progress progress) {
    SnapshotStream stream = new SnapshotStream(progress);
    Reply reply = requests.streamed("/v1/snapshots", request.toJson(), stream);
    return reply.body().length > 0
        ? SnapshotInfo.from(Json.parseObject(reply.text()))
        : stream.result();
  }

  public List<SnapshotInfo> snapshots() {
    return requests.list("/v1/snapshots").stream().map(SnapshotInfo::from).toList();
  }

  public SnapshotInfo snapshot(String tag) {
    return snapshotInfo(tag).snapshot();
  }

  /** A snapshot and its family. */
  public SnapshotDetail snapshotInfo(String tag) {
    return SnapshotDetail.from(requests.get(ofSnapshot(tag) + "/info"));
  }

  /** Makes a snapshot without a parent out of a chain. */
  public SnapshotInfo compact(String from, String to) {
    return SnapshotInfo.from(
        requests.post(ofSnapshot(from) + "/compact", JsonObject.ofPairs("to", to), LONG));
  }

  /** Removes a snapshot no other depends on. */
  public void removeSnapshot(String tag) {
    removeSnapshot(tag, false, false);
  }

  /**
   * Removes a snapshot.
   *
   * @param cascade whether those that depend on it go too
   * @param force whether those that depend on it are left behind, broken
   */
  public void removeSnapshot(String tag, boolean cascade, boolean force) {
    List<String> flags = new ArrayList<>();
    if (cascade) {
      flags.add("cascade=true");
    }
    if (force) {
      flags.add("force=true");
    }
    String query = flags.isEmpty() ? "" : "?" + String.join("&", flags);
    requests.call("DELETE", ofSnapshot(tag) + query, Optional.empty(), LONG);
  }

  /** Removes snapshots that have expired and nothing depends on, or only tells which. */
  public GcOutcome collect(boolean dryRun) {
    return GcOutcome.from(requests.post("/v1/gc", JsonObject.ofPairs("dry_run", dryRun), LONG));
  }

  /**
   * Compares two snapshots or sandboxes.
   *
   * @param text whether text files get a unified diff
   */
  public Comparison diff(String a, String b, boolean text) {
    return Comparison.from(
        requests.post("/v1/diff", JsonObject.ofPairs("a", a, "b", b, "text", text), LONG));
  }

  /** Makes n children of a snapshot; those that could not be made are told in the outcome. */
  public ForkOutcome fork(String tag, int n, Optional<Integer> memoryLimitMib) {
    return fork(tag, n, memoryLimitMib, false, Optional.empty());
  }

  /**
   * Makes n children of a snapshot.
   *
   * @param measure whether each child's cost is to be noted when it is restored and has not run
   *     yet; such children never come from a pool
   */
  public ForkOutcome fork(String tag, int n, Optional<Integer> memoryLimitMib, boolean measure) {
    return fork(tag, n, memoryLimitMib, measure, Optional.empty());
  }

  /** The same, with a time after which the children end. */
  public ForkOutcome fork(
      String tag,
      int n,
      Optional<Integer> memoryLimitMib,
      boolean measure,
      Optional<Duration> ttl) {
    return fork(new ForkRequest(tag, n, measure, ChildRequest.of(memoryLimitMib, ttl)));
  }

  /** Makes children of a snapshot; those that could not be made are told in the outcome. */
  public ForkOutcome fork(ForkRequest request) {
    Reply reply = requests.create("/v1/sandboxes", request.toJson(), LONG);
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
    return requests.list("/v1/sandboxes").stream().map(SandboxInfo::from).toList();
  }

  /** Those that have all of these labels. */
  public List<SandboxInfo> sandboxes(Map<String, String> labels) {
    String query =
        labels.entrySet().stream()
            .map(label -> "label=" + segment(label.getKey() + "=" + label.getValue()))
            .collect(Collectors.joining("&"));
    return requests.list("/v1/sandboxes" + (query.isEmpty() ? "" : "?" + query)).stream()
        .map(SandboxInfo::from)
        .toList();
  }

  /** The sandboxes that ended lately and why, newest first. */
  public List<EndedInfo> ended(int most) {
    return requests.list("/v1/sandboxes/ended?limit=" + most).stream()
        .map(EndedInfo::from)
        .toList();
  }

  /** Changes what a sandbox was given. */
  public SandboxInfo update(String id, SandboxUpdate update) {
    return SandboxInfo.from(
        Json.parseObject(
            requests.call("PATCH", ofSandbox(id), Optional.of(update.toJson()), SHORT).text()));
  }

  /** Puts a sandbox on disk and ends its process; one that is paused stays so. */
  public SandboxInfo pause(String id) {
    return SandboxInfo.from(requests.post(ofSandbox(id) + "/pause", JsonObject.ofPairs(), LONG));
  }

  /** Lets a paused sandbox go on where it was; one that runs goes on. */
  public SandboxInfo resume(String id) {
    return SandboxInfo.from(requests.post(ofSandbox(id) + "/resume", JsonObject.ofPairs(), LONG));
  }

  public SandboxInfo sandbox(String id) {
    return SandboxInfo.from(requests.get(ofSandbox(id)));
  }

  public void kill(String id) {
    requests.call("DELETE", ofSandbox(id), Optional.empty(), SHORT);
  }

  /** Makes a snapshot of a running sandbox, which pauses for milliseconds and goes on. */
  public SnapshotInfo branch(String id, BranchRequest request) {
    return SnapshotInfo.from(
        Json.parseObject(
            requests.create(ofSandbox(id) + "/branch", request.toJson(), LONG).text()));
  }

  /** Branches a running sandbox and forks children of the branch. */
  public FanOutcome forkSandbox(String id, FanOutRequest request) {
    return FanOutcome.from(
        Json.parseObject(requests.create(ofSandbox(id) + "/fork", request.toJson(), LONG).text()));
  }

  /** Puts a sandbox back to a snapshot of its family; it keeps its id. */
  public SandboxInfo rollback(String id, String tag) {
    return SandboxInfo.from(
        requests.post(ofSandbox(id) + "/rollback", JsonObject.ofPairs("tag", tag), LONG));
  }

  /** Asks the guest's agent for a sign of life. */
  public JsonObject ping(String id) {
    return Json.parseObject(
        requests.call("POST", ofSandbox(id) + "/ping", Optional.empty(), SHORT).text());
  }

  /** Runs a program in a sandbox and waits for its end, at most for {@code timeout}. */
  public ExecOutcome exec(String id, List<String> args, Duration timeout) {
    JsonObject body = JsonObject.ofPairs("timeout_secs", timeout.toSeconds()).with("args", args);
    return ExecOutcome.from(requests.post(ofSandbox(id) + "/exec", body, timeout.plus(GRACE)));
  }

  /** Runs code in a sandbox's warmed runtime, at most for {@code timeout}. */
  public EvalOutcome eval(String id, String code, Duration timeout) {
    JsonObject body = JsonObject.ofPairs("code", code, "timeout_secs", timeout.toSeconds());
    return EvalOutcome.from(
        requests.call("POST", ofSandbox(id) + "/eval", Optional.of(body), timeout.plus(GRACE)));
  }

  /** The processes of a sandbox that were started through the daemon. */
  public Processes processes(String id) {
    return new Processes(endpoint, requests, ofSandbox(id));
  }

  /** The files of a sandbox, as its default user sees them. */
  public SandboxFiles files(String id) {
    return new SandboxFiles(endpoint, requests, ofSandbox(id), Optional.empty());
  }

  /** The places in a sandbox where code runs. */
  public Contexts contexts(String id) {
    return new Contexts(endpoint, requests, ofSandbox(id));
  }

  /** Starts a program on a terminal of its own; a login shell when none is named. */
  public Tty terminal(String id, TerminalRequest request) {
    return Tty.open(endpoint, ofSandbox(id) + "/tty" + request.query());
  }

  /** What a sandbox uses, as seen from inside. */
  public GuestUse metrics(String id) {
    return GuestUse.from(requests.get(ofSandbox(id) + "/metrics"));
  }

  /** Sets variables that everything started in a sandbox from now on has. */
  public void setEnvironment(String id, Map<String, String> variables) {
    requests.call(
        "PUT",
        ofSandbox(id) + "/env",
        Optional.of(new JsonObject(new LinkedHashMap<>(variables))),
        SHORT);
  }

  /** A TCP connection to a port on the loopback of a sandbox, which needs no network for it. */
  public PortTunnel connectPort(String id, int port) {
    return PortTunnel.open(endpoint, ofPort(id, port));
  }

  /** The path under which the daemon passes HTTP requests on to a port of a sandbox. */
  public static String portPath(String id, int port) {
    return ofPort(id, port) + "/";
  }

  public List<PoolInfo> pools() {
    return requests.list("/v1/pools").stream().map(PoolInfo::from).toList();
  }

  /** Keeps {@code warm} children of a snapshot ready; 0 ends the pool. */
  public PoolInfo setPool(String tag, int warm) {
    return PoolInfo.from(
        Json.parseObject(
            requests
                .call(
                    "PUT",
                    "/v1/pools/" + segment(tag),
                    Optional.of(JsonObject.ofPairs("warm", warm)),
                    SHORT)
                .text()));
  }

  @Override
  public void close() {
    requests.close();
  }

  private static String ofSnapshot(String tag) {
    return "/v1/snapshots/" + segment(tag);
  }

  private static String ofPort(String id, int port) {
    return "%s/ports/%d".formatted(ofSandbox(id), port);
  }

  private static String ofSandbox(String id) {
    return "/v1/sandboxes/" + segment(id);
  }
}

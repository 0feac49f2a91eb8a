package io.forkd.client;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The processes of a sandbox that were started through its daemon. */
public final class Processes {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Endpoint endpoint;
  private final Requests requests;
  private final String path;

  Processes(Endpoint endpoint, Requests requests, String sandbox) {
    this.endpoint = endpoint;
    this.requests = requests;
    this.path = sandbox + "/processes";
  }

  /** Starts a program and listens to nothing; its latest output can be heard later. */
  public ProcessInfo start(ProcessRequest request) {
    return ProcessInfo.from(requests.post(path, request.toJson(), LIMIT));
  }

  /** Starts a program and tells what it does: its start, its output as it comes, its end. */
  public Feed<ProcessEvent> run(ProcessRequest request) {
    return feed("POST", path + "?stream=true", Optional.of(request.toJson()));
  }

  /**
   * Tells what a process does from now on.
   *
   * @param replay whether to begin with the latest output that is still kept
   */
  public Feed<ProcessEvent> attach(int pid, boolean replay) {
    return feed("GET", of(pid) + "/output" + new Query().flag("replay", replay), Optional.empty());
  }

  private Feed<ProcessEvent> feed(String method, String where, Optional<JsonObject> body) {
    return new Feed<>(
        LiveCall.send(endpoint, method, where, Call.NDJSON, body),
        ProcessEvent::from,
        Optional.of(ProcessEvent.End.class::isInstance));
  }

  /** A terminal whose bytes are those of a process that has one. */
  public Tty terminal(int pid, boolean replay) {
    return Tty.open(endpoint, of(pid) + "/tty" + new Query().with("replay", replay));
  }

  public List<ProcessInfo> list() {
    return requests.list(path).stream().map(ProcessInfo::from).toList();
  }

  public ProcessInfo get(int pid) {
    return ProcessInfo.from(requests.get(of(pid)));
  }

  /** Sends bytes to its input as they come, which stays open; returns when all are on their way. */
  public void send(int pid, InputStream bytes) {
    LiveCall.upload(
        endpoint, "POST", of(pid) + "/stdin", LiveCall.BYTES, bytes, OptionalLong.empty(), true);
  }

  public void closeInput(int pid) {
    requests.call("DELETE", of(pid) + "/stdin", Optional.empty(), LIMIT);
  }

  /**
   * Signals the process and all of its group.
   *
   * @param signal a name such as {@code SIGTERM}, or a number
   */
  public void signal(int pid, String signal) {
    Object value = signal.matches("[0-9]{1,3}") ? Integer.valueOf(signal) : signal;
    requests.call(
        "POST", of(pid) + "/signal", Optional.of(JsonObject.ofPairs("signal", value)), LIMIT);
  }

  public void resize(int pid, TerminalSize size) {
    requests.call("POST", of(pid) + "/resize", Optional.of(size.toJson()), LIMIT);
  }

  public void kill(int pid) {
    requests.call("DELETE", of(pid), Optional.empty(), LIMIT);
  }

  private String of(int pid) {
    return path + "/" + pid;
  }
}

package io.forkd.client;

import static io.forkd.client.Requests.segment;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The places in a sandbox where code runs and keeps its state. */
public final class Contexts {
  /** A runtime that is not warm takes its time to start where the guest is emulated. */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Endpoint endpoint;
  private final Requests requests;
  private final String sandbox;

  Contexts(Endpoint endpoint, Requests requests, String sandbox) {
    this.endpoint = endpoint;
    this.requests = requests;
    this.sandbox = sandbox;
  }

  /** Runs code and tells what it does, as it does it. */
  public Feed<CodeEvent> execute(CodeRequest request) {
    return new Feed<>(
        LiveCall.send(
            endpoint, "POST", sandbox + "/execute", Call.NDJSON, Optional.of(request.toJson())),
        CodeEvent::from,
        Optional.of(CodeEvent.Ended.class::isInstance));
  }

  public List<ContextInfo> list() {
    return requests.list(sandbox + "/contexts").stream().map(ContextInfo::from).toList();
  }

  public ContextInfo create(String language, Optional<String> cwd) {
    return ContextInfo.from(
        requests.post(
            sandbox + "/contexts",
            JsonObject.ofPairs("language", language).with("cwd", cwd),
            LIMIT));
  }

  /** Forgets all that was defined in it. */
  public void restart(String context) {
    requests.call("POST", of(context) + "/restart", Optional.empty(), LIMIT);
  }

  /** Ends what runs in it and keeps what was defined. */
  public void interrupt(String context) {
    requests.call("POST", of(context) + "/interrupt", Optional.empty(), LIMIT);
  }

  public void delete(String context) {
    requests.call("DELETE", of(context), Optional.empty(), LIMIT);
  }

  private String of(String context) {
    return sandbox + "/contexts/" + segment(context);
  }
}

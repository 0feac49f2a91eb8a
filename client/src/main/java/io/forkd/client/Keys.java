package io.forkd.client;

import static io.forkd.client.Requests.segment;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The keys of a daemon, which only an admin may handle. */
public final class Keys {
  private static final String PATH = "/v1/keys";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Requests requests;

  Keys(Requests requests) {
    this.requests = requests;
  }

  /** Makes a key; its secret is told this once. */
  public KeyInfo create(KeyRequest request) {
    return KeyInfo.from(requests.post(PATH, request.toJson(), LIMIT));
  }

  public List<KeyInfo> list() {
    return requests.list(PATH).stream().map(KeyInfo::from).toList();
  }

  /** Takes a key back, from its next request on. */
  public void revoke(String id) {
    requests.call("DELETE", PATH + "/" + segment(id), Optional.empty(), LIMIT);
  }
}

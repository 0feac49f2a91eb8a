package io.forkd.client;

import static io.forkd.client.Requests.segment;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Calls about what is used of the host and how much there is. */
public final class Usage {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Requests requests;

  Usage(Requests requests) {
    this.requests = requests;
  }

  /** What each sandbox uses now. */
  public List<SandboxUse> sandboxes() {
    return requests.list("/v1/sandboxes/usage").stream().map(SandboxUse::from).toList();
  }

  public SandboxUse sandbox(String id) {
    return SandboxUse.from(requests.get("/v1/sandboxes/%s/usage".formatted(segment(id))));
  }

  /** How full the daemon is. */
  public List<BudgetInfo> budgets() {
    return requests.get("/v1/capacity").objects("budgets").stream().map(BudgetInfo::from).toList();
  }

  /**
   * A number of the daemon's own metrics.
   *
   * @param series name and labels, as they are written there
   */
  public OptionalDouble metric(String series) {
    return requests
        .call("GET", "/metrics", Optional.empty(), LIMIT)
        .text()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst();
  }
}

package io.forkd.client;

import static io.forkd.client.Requests.segment;

import java.util.List;

/** Calls about what is used of the host and how much there is. */
public final class Usage {
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
}

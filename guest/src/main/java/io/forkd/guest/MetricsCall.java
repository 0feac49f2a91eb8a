package io.forkd.guest;

/** One question about what a guest uses. */
final class MetricsCall {
  private final Connection connection;
  private final Deadline deadline;

  MetricsCall(Connection connection, Deadline deadline) {
    this.connection = connection;
    this.deadline = deadline;
  }

  GuestMetrics run() {
    throw new UnsupportedOperationException("not built yet");
  }
}

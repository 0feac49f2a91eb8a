package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.time.Instant;

/** One question about what a guest uses. */
final class MetricsCall {
  private final Connection connection;
  private final Deadline deadline;

  /** How much time a guest's CPUs have been at work, of how much there was, in ticks since boot. */
  record CpuTime(long busy, long total) {
    static final CpuTime AT_BOOT = new CpuTime(0, 0);

    double percentSince(CpuTime earlier) {
      // A guest that went back in time, as no honest one does, is compared with its boot.
      CpuTime from = earlier.total > total || earlier.busy > busy ? AT_BOOT : earlier;
      long passed = total - from.total;
      return passed == 0 ? 0 : Math.clamp(100.0 * (busy - from.busy) / passed, 0, 100);
    }
  }

  MetricsCall(Connection connection, Deadline deadline) {
    this.connection = connection;
    this.deadline = deadline;
  }

  GuestMetrics run() {
    GuestStream stream = connection.open(new Payload().u8(Protocol.KIND_METRICS).toByteArray());
    try {
      Outcome outcome = stream.look(deadline, false).outcome();
      return switch (outcome) {
        case Outcome.Result(byte[] payload) -> connection.reading(() -> read(payload));
        case Outcome.Reset reset -> throw Refusals.of(reset, attempt());
        case Outcome.Broken(ForkdException cause) -> throw Connection.again(cause);
        case null ->
            throw new ForkdException(ErrorCode.TIMEOUT, attempt() + ": it did not answer in time.");
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(ErrorCode.TIMEOUT, attempt() + ": the caller was interrupted.", e);
    } finally {
      stream.close();
    }
  }

  private String attempt() {
    return "Cannot tell what %s uses".formatted(connection.guest());
  }

  private GuestMetrics read(byte[] payload) throws NonsenseException {
    Fields fields = new Fields(payload);
    int cpus = fields.u16();
    CpuTime now = new CpuTime(amount(fields), amount(fields));
    CpuTime earlier = connection.lastCpuTime.getAndSet(now);
    GuestMetrics metrics =
        new GuestMetrics(
            Instant.now(),
            cpus,
            now.percentSince(earlier),
            amount(fields),
            amount(fields),
            amount(fields),
            amount(fields),
            amount(fields));
    fields.end();
    return metrics;
  }

  private static long amount(Fields fields) throws NonsenseException {
    long amount = fields.i64();
    if (amount < 0) {
      throw new NonsenseException("it uses more than there can be");
    }
    return amount;
  }
}

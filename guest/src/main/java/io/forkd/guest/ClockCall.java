package io.forkd.guest;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Sets a guest's clock to ours, as nearly as the way there allows. */
final class ClockCall {
  static final long ALLOWED_ERROR_MS = 1000;

  /** An error that delay on a busy host may cause and another try may cure. */
  private static final long WORTH_CORRECTING_MS = 250;

  private static final int TRIES = 3;

  private final Agent agent;
  private final Deadline deadline;

  ClockCall(Agent agent, Deadline deadline) {
    this.agent = agent;
    this.deadline = deadline;
  }

  /**
   * What came of it.
   *
   * @param errorMs guest clock minus ours, when the answer was here: its delay counts as well
   * @param stepMs how far the clock was moved, at first
   */
  record Setting(long errorMs, long stepMs) {
    boolean goodEnough() {
      return Math.abs(errorMs) <= WORTH_CORRECTING_MS;
    }

    boolean allowed() {
      return Math.abs(errorMs) <= ALLOWED_ERROR_MS;
    }
  }

  Setting set() {
    Setting setting = once();
    for (int i = 1; i < TRIES && !setting.goodEnough(); i++) {
      setting = new Setting(once().errorMs(), setting.stepMs());
    }
    return setting;
  }

  private Setting once() {
    Frame answer = agent.ask(Protocol.SET_CLOCK, new Payload().i64(wallNanos()), deadline, "clock");
    long now = wallNanos();
    return agent.read(
        () -> {
          Fields fields = Answers.body(answer, Protocol.CLOCK_SET);
          long guest = fields.i64();
          long step = fields.i64();
          fields.end();
          return new Setting(
              TimeUnit.NANOSECONDS.toMillis(guest - now), TimeUnit.NANOSECONDS.toMillis(step));
        });
  }

  static long wallNanos() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }
}

package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The fork handshake: tells a child who it is and believes it only what it can show. */
final class IdentifyCall {
  private static final long ALLOWED_ERROR_MS = 1000;

  /** An error that delay on a busy host may cause and another try may cure. */
  private static final long WORTH_CORRECTING_MS = 250;

  private static final int CORRECTIONS = 3;

  private final Agent agent;
  private final ForkIdentity identity;
  private final Deadline deadline;

  IdentifyCall(Agent agent, ForkIdentity identity, Deadline deadline) {
    this.agent = agent;
    this.identity = identity;
    this.deadline = deadline;
  }

  ForkProof run() {
    Payload question =
        new Payload()
            .i64(wallNanos())
            .bytes(identity.entropy())
            .text(identity.sandboxId())
            .text(identity.hostname())
            .text(identity.machineId());
    Frame answer = agent.ask(Protocol.IDENTIFY, question, deadline, "fork handshake");
    long errorMs = wallErrorOf(answer);
    Answers.Identified said = agent.read(() -> Answers.identified(answer));
    verify(said);
    errorMs = correctClock(errorMs);
    if (Math.abs(errorMs) > ALLOWED_ERROR_MS) {
      throw refuse("its clock is %d ms off".formatted(errorMs));
    }
    return new ForkProof(
        said.hostname(),
        said.machineId(),
        said.bootId(),
        errorMs,
        TimeUnit.NANOSECONDS.toMillis(said.stepNanos()),
        said.entropyBytes(),
        said.reseeded(),
        said.kernelUuid(),
        said.hooks());
  }

  /** The guest's clock minus ours now: the delay of the answer counts against the guest. */
  private long wallErrorOf(Frame answer) {
    long now = wallNanos();
    return agent.read(
        () -> {
          int type = answer.type() == Protocol.CLOCK_SET ? Protocol.CLOCK_SET : Protocol.IDENTIFIED;
          long guest = Answers.body(answer, type).i64();
          return TimeUnit.NANOSECONDS.toMillis(guest - now);
        });
  }

  private long correctClock(long firstErrorMs) {
    long errorMs = firstErrorMs;
    for (int i = 0; i < CORRECTIONS && Math.abs(errorMs) > WORTH_CORRECTING_MS; i++) {
      Payload question = new Payload().i64(wallNanos());
      errorMs = wallErrorOf(agent.ask(Protocol.SET_CLOCK, question, deadline, "clock"));
    }
    return errorMs;
  }

  private void verify(Answers.Identified said) {
    same("sandbox id", identity.sandboxId(), said.sandboxId());
    same("hostname", identity.hostname(), said.hostname());
    same("machine id", identity.machineId(), said.machineId());
    if (!said.reseeded() || said.entropyBytes() != identity.entropy().length) {
      throw refuse("its kernel did not reseed its random generator");
    }
  }

  private void same(String what, String wanted, String found) {
    if (!wanted.equals(found)) {
      throw refuse(
          "its %s is '%s' instead of '%s'".formatted(what, Printable.shorten(found), wanted));
    }
  }

  private ForkdException refuse(String why) {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "Refused the fork of %s: %s. The child was not handed out; fork again."
            .formatted(identity.sandboxId(), why));
  }

  private static long wallNanos() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }
}

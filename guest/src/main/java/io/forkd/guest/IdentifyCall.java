package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.concurrent.TimeUnit;

/** The fork handshake: tells a child who it is and believes it only what it can show. */
final class IdentifyCall {
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
            .i64(ClockCall.wallNanos())
            .bytes(identity.entropy())
            .text(identity.sandboxId())
            .text(identity.hostname())
            .text(identity.machineId());
    Frame answer = agent.ask(Protocol.IDENTIFY, question, deadline, "fork handshake");
    long now = ClockCall.wallNanos();
    Answers.Identified said = agent.read(() -> Answers.identified(answer));
    verify(said);
    ClockCall.Setting clock = clock(answer, now, said.stepNanos());
    if (!clock.allowed()) {
      throw refuse("its clock is %d ms off".formatted(clock.errorMs()));
    }
    return new ForkProof(
        said.hostname(),
        said.machineId(),
        said.bootId(),
        clock.errorMs(),
        clock.stepMs(),
        said.entropyBytes(),
        said.reseeded(),
        said.kernelUuid(),
        said.hooks());
  }

  /** The clock as the handshake set it; set once more when the answer took long. */
  private ClockCall.Setting clock(Frame answer, long now, long stepNanos) {
    long guest = agent.read(() -> Answers.body(answer, Protocol.IDENTIFIED).i64());
    ClockCall.Setting first =
        new ClockCall.Setting(
            TimeUnit.NANOSECONDS.toMillis(guest - now), TimeUnit.NANOSECONDS.toMillis(stepNanos));
    return first.goodEnough()
        ? first
        : new ClockCall.Setting(new ClockCall(agent, deadline).set().errorMs(), first.stepMs());
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
}

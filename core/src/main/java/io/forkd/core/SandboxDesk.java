package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.guest.Agent;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** All sandboxes, running and paused, and what users do to them. */
final class SandboxDesk {
  private static final int SHOWN_ENDS = 1000;

  private final SandboxTable running;
  private final PausedSandboxes paused;
  private final Pauser pauser;
  private final Obituaries obituaries;
  private final News news;
  private final Admission admission;
  private final Wiring wiring;

  SandboxDesk(
      SandboxTable running,
      PausedSandboxes paused,
      Pauser pauser,
      Obituaries obituaries,
      News news,
      Admission admission,
      Wiring wiring) {
    this.running = running;
    this.paused = paused;
    this.pauser = pauser;
    this.obituaries = obituaries;
    this.news = news;
    this.admission = admission;
    this.wiring = wiring;
  }

  List<Sandbox> all() {
    return Stream.concat(
            running.all().stream().map(LiveSandbox::sandboxRecord), paused.all().stream())
        .map(SandboxRecord::toSandbox)
        .sorted(Comparator.comparing(Sandbox::id))
        .toList();
  }

  Sandbox get(SandboxId id) {
    return paused.find(id).orElseGet(() -> running.get(id).sandboxRecord()).toSandbox();
  }

  List<SandboxUse> usage() {
    return Stream.concat(
            running.all().stream().map(UsageReader::of),
            paused.all().stream().map(each -> SandboxUse.none(each.id())))
        .sorted(Comparator.comparing(SandboxUse::id))
        .toList();
  }

  /** A sandbox that can answer. */
  LiveSandbox awake(SandboxId id) {
    paused.requireNot(id);
    return running.get(id);
  }

  /** Calls a sandbox's agent; it is in use meanwhile. */
  <T> T call(SandboxId id, Function<Agent, T> question) {
    LiveSandbox sandbox = awake(id);
    return sandbox.activity().during(() -> question.apply(sandbox.agent()));
  }

  void kill(SandboxId id) {
    EndReason reason = new EndReason(EndReason.Kind.KILLED, "it was killed by request");
    Optional<SandboxRecord> asleep = pauser.discard(id);
    if (asleep.isPresent()) {
      obituaries.add(asleep.get().toEnded(reason));
      return;
    }
    boolean resumedOnce = running.get(id).sandboxRecord().cameFrom().isPresent();
    running.end(id, reason);
    if (resumedOnce) {
      pauser.sweep(id);
    }
  }

  List<EndedSandbox> ended() {
    return obituaries.recent(SHOWN_ENDS);
  }

  Sandbox pause(SandboxId id) {
    boolean was = paused.find(id).isPresent();
    Sandbox now = pauser.pause(id).toSandbox();
    if (!was) {
      news.paused(now);
    }
    return now;
  }

  Sandbox resume(SandboxId id) {
    boolean was = paused.find(id).isEmpty();
    Sandbox now = pauser.resume(id).toSandbox();
    if (!was) {
      news.resumed(now);
    }
    return now;
  }

  Sandbox update(SandboxId id, SandboxChange change) {
    change.egress().ifPresent(wiring::require);
    if (pauser.changeAsleep(id, draft -> Updates.change(draft, change)).isEmpty()) {
      Updates.apply(running.get(id), change, admission);
    }
    Sandbox now = get(id);
    news.updated(now);
    return now;
  }
}

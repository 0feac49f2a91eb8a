package io.forkd.core;

import io.forkd.linux.Cgroups;
import io.forkd.linux.ProcStat;
import io.forkd.linux.ProcStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * Tells what running sandboxes use now. It asks only for what the kernel keeps count of anyway, so
 * that all of a thousand can be asked every second: memory is right within some pages.
 */
final class UsageReader {
  private UsageReader() {}

  static SandboxUse of(LiveSandbox sandbox) {
    long pid = sandbox.vm().process().pid();
    Cgroups.Stats counted = sandbox.place().stats();
    Optional<ProcStatus> memory = ProcStatus.of(pid);
    return new SandboxUse(
        sandbox.id(),
        SandboxState.RUNNING,
        counted.cpu().or(() -> ProcStat.of(pid).map(ProcStat::cpu)).orElse(Duration.ZERO),
        memory.map(use -> use.anonymous() + use.swap()).orElse(0L),
        memory.map(use -> use.file() + use.shared()).orElse(0L),
        memory.map(ProcStatus::threads).orElse(0),
        counted.oomKills());
  }
}

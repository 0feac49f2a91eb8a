package io.forkd.core;

import io.forkd.linux.MemoryUse;
import io.forkd.linux.ProcStat;
import io.forkd.linux.Smaps;

/**
 * What a child had cost the host when it was restored and had not run yet.
 *
 * @param cpuMs CPU time of its VMM
 * @param anonymousKib memory no other process shares
 * @param guestRamKib the part of it that is guest memory: pages copied because they were written
 */
public record RestoredCost(double cpuMs, long anonymousKib, long guestRamKib) {
  static RestoredCost of(long pid, String memoryName) {
    double cpuMs = ProcStat.cpuNanos(pid) / 1e6;
    Smaps smaps = Smaps.of(pid).orElseThrow();
    MemoryUse guest = smaps.usedByFile(memoryName);
    return new RestoredCost(
        Math.round(cpuMs * 100) / 100.0, smaps.total().anonymous() >> 10, guest.anonymous() >> 10);
  }
}

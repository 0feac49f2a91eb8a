package io.forkd.linux;

import java.util.Map;
import java.util.Optional;

/**
 * The memory of a process in bytes, as the kernel keeps count of it: to have within some pages, but
 * at no cost, however large the process is.
 *
 * @param anonymous memory of its own, such as pages it has changed of a private mapping
 * @param file pages of files it has mapped
 * @param shared pages of shared memory it has mapped, such as a memfd's
 * @param swap memory of its own that is swapped out
 */
public record ProcStatus(long anonymous, long file, long shared, long swap, int threads) {
  /** Empty when there is no such process. */
  public static Optional<ProcStatus> of(long pid) {
    return ProcFile.read(pid, "status").map(ProcStatus::parse);
  }

  static ProcStatus parse(String text) {
    Map<String, Long> sizes = ProcFile.sizes(text.lines().toList());
    return new ProcStatus(
        sizes.getOrDefault("RssAnon", 0L),
        sizes.getOrDefault("RssFile", 0L),
        sizes.getOrDefault("RssShmem", 0L),
        sizes.getOrDefault("VmSwap", 0L),
        Math.toIntExact(sizes.getOrDefault("Threads", 0L)));
  }
}

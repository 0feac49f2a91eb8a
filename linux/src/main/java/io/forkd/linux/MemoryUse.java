package io.forkd.linux;

import java.util.Map;

/** The memory of a process or a part of it, in bytes, as smaps counts it. */
public record MemoryUse(
    long rss,
    long pss,
    long anonymous,
    long privateClean,
    long privateDirty,
    long sharedClean,
    long sharedDirty,
    long swap) {
  static final MemoryUse NONE = new MemoryUse(0, 0, 0, 0, 0, 0, 0, 0);

  static MemoryUse of(Map<String, Long> sizes) {
    return new MemoryUse(
        sizes.getOrDefault("Rss", 0L),
        sizes.getOrDefault("Pss", 0L),
        sizes.getOrDefault("Anonymous", 0L),
        sizes.getOrDefault("Private_Clean", 0L),
        sizes.getOrDefault("Private_Dirty", 0L),
        sizes.getOrDefault("Shared_Clean", 0L),
        sizes.getOrDefault("Shared_Dirty", 0L),
        sizes.getOrDefault("Swap", 0L));
  }

  /** Memory that would be free again if the process ended. */
  public long unique() {
    return privateClean + privateDirty;
  }

  public MemoryUse plus(MemoryUse other) {
    return new MemoryUse(
        rss + other.rss,
        pss + other.pss,
        anonymous + other.anonymous,
        privateClean + other.privateClean,
        privateDirty + other.privateDirty,
        sharedClean + other.sharedClean,
        sharedDirty + other.sharedDirty,
        swap + other.swap);
  }
}

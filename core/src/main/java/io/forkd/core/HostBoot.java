package io.forkd.core;

import io.forkd.linux.HostInfo;
import io.forkd.registry.Meta;

/** Whether the host was restarted since a daemon last took over what another one left. */
final class HostBoot {
  private final Meta meta;
  private final String now;

  HostBoot(Meta meta) {
    this(meta, HostInfo.bootId());
  }

  HostBoot(Meta meta, String now) {
    this.meta = meta;
    this.now = now;
  }

  /** Then no process of an earlier daemon lives, whatever has its number now. */
  boolean isNew() {
    return meta.lastBoot().filter(last -> !last.equals(now)).isPresent();
  }

  /** Notes that what the last boot left is cleaned away. */
  void settled() {
    try {
      meta.noteBoot(now);
    } catch (RuntimeException e) {
      Log.CORE.warn("this boot of the host cannot be noted: {}", e.toString());
    }
  }
}

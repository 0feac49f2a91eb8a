package io.forkd.client;

import java.util.Locale;

/** What happens to a sandbox whose time is over. */
public enum OnTimeout {
  /** It ends. */
  KILL,
  /** It is put on disk and can be resumed. */
  PAUSE;

  /** As the daemon spells it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

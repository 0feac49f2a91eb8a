package io.forkd.core.net;

import java.time.Duration;
import java.util.Map;

/** Which names are answered, and what an answer opens. */
interface NamePolicy {
  Reach reach();

  /**
   * Opens the addresses of a name before the guest learns them.
   *
   * @param found addresses with the time the guest may remember each
   * @return false when the guest must not learn them
   */
  boolean grant(String name, Map<Long, Duration> found);
}

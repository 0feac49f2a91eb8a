package io.forkd.core;

import java.util.List;

/**
 * Why a sandbox ended.
 *
 * @param text for people, a whole clause: {@code it was killed by request}
 * @param log the last lines its VMM or guest wrote, when they explain it
 */
public record EndReason(Kind kind, String text, List<String> log) {
  /** The sorts of ends. */
  public enum Kind {
    /** Somebody asked for it. */
    KILLED,
    /** Its time to live was over. */
    EXPIRED,
    /** Nobody had used it for its idle timeout. */
    IDLE,
    /** The host's kernel killed it at its memory limit. */
    OUT_OF_MEMORY,
    /** The guest's kernel panicked. */
    GUEST_PANIC,
    /** The guest was shut down from inside. */
    GUEST_SHUTDOWN,
    /** Its VMM process ended by itself or was killed by somebody else. */
    VMM_CRASH,
    /** The host was restarted, or its run folder removed. */
    HOST_RESTART,
    /** A daemon that started could not take it over. */
    LOST
  }

  public EndReason {
    log = List.copyOf(log);
  }

  public EndReason(Kind kind, String text) {
    this(kind, text, List.of());
  }
}

package io.forkd.guest;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What goes on inside one running sandbox.
 *
 * <p>Any number of threads may call. When the guest, its VMM or the channel dies, every open call
 * ends with {@link io.forkd.base.ErrorCode#GUEST_FAILED}; nothing waits for ever.
 */
public interface Inside {
  ProcessTable processes();

  /**
   * The guest's files.
   *
   * @param user whose home relative paths and {@code ~} begin at, and who owns what is made; empty
   *     means root
   */
  FileTree files(Optional<String> user);

  Interpreter interpreter();

  GuestMetrics metrics(Duration timeout);

  /** Sets variables in the environment of everything that is started from now on. */
  void setEnvironment(Map<String, String> variables, Duration timeout);
}

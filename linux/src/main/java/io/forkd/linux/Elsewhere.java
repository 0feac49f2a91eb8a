package io.forkd.linux;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs short work on a kernel thread that has left the namespaces of this process and ends with it.
 */
final class Elsewhere {
  /*
   * A new thread is born into the namespaces of the thread that starts it. Waking a virtual thread
   * may start a carrier, so the thread that is elsewhere must wake none: a second platform thread,
   * which never left, waits for its end and then wakes the caller. For the same reason work done
   * elsewhere starts no threads and completes no futures.
   */

  private Elsewhere() {}

  /** What one of the two threads left behind: a result or a failure. */
  private static final class Outcome<T> {
    private @Nullable T result;
    private @Nullable Throwable failure;

    Runnable noting(Step step) {
      return () -> {
        try {
          step.run();
        } catch (Throwable e) {
          failure = e;
        }
      };
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  /**
   * Does the work where {@code enter} leads.
   *
   * @param enter system calls that change the namespaces of the calling thread
   */
  static <T> T call(Runnable enter, Inside<T> work) throws IOException {
    Outcome<T> outcome = new Outcome<>();
    Runnable there =
        outcome.noting(
            () -> {
              enter.run();
              outcome.result = work.run();
            });
    Runnable here =
        outcome.noting(() -> join(Thread.ofPlatform().daemon().name("elsewhere").start(there)));
    join(Thread.ofPlatform().daemon().name("elsewhere-wait").start(here));
    Throwable failure = outcome.failure;
    if (failure != null) {
      throw rethrow(failure);
    }
    return Optional.ofNullable(outcome.result)
        .orElseThrow(() -> new IllegalStateException("work done elsewhere gave nothing"));
  }

  private static IOException rethrow(Throwable failure) {
    return switch (failure) {
      case IOException e -> e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new LinkageError("work done elsewhere threw what it cannot", failure);
    };
  }

  /** An interrupt would leave work behind that nobody owns; it is kept for the caller's next. */
  private static void join(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

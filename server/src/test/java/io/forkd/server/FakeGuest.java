package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

/** What the guests of a core in memory answer, by the words they are sent. */
final class FakeGuest {
  final List<Duration> timeouts = new ArrayList<>();

  /** An eval of {@code wait} answers when this opens. */
  final CountDownLatch evalGate = new CountDownLatch(1);

  final CountDownLatch evalBegun = new CountDownLatch(1);
  private final CyclicBarrier meeting = new CyclicBarrier(64);

  ExecResult exec(List<String> args, Duration timeout) {
    remember(timeout);
    return new ExecResult(String.join(" ", args), "", 3, true, false);
  }

  EvalResult eval(String code, Duration timeout) {
    remember(timeout);
    misbehave(code);
    return switch (code) {
      case "meet" -> meet();
      case "wait" -> {
        evalBegun.countDown();
        await(evalGate);
        yield result("waited");
      }
      case "raise" ->
          new EvalResult(
              Optional.empty(),
              Optional.of("ZeroDivisionError: division by zero"),
              Optional.of("Traceback …"),
              "before\n",
              "",
              1);
      // More than the buffers of a Unix socket hold.
      case "huge" -> result("x".repeat(4 << 20));
      case "x = 1" ->
          new EvalResult(Optional.empty(), Optional.empty(), Optional.empty(), "", "", 0);
      default -> result(code);
    };
  }

  private void remember(Duration timeout) {
    synchronized (timeouts) {
      timeouts.add(timeout);
    }
  }

  private EvalResult meet() {
    try {
      meeting.await(30, TimeUnit.SECONDS);
      return result("met");
    } catch (Exception e) {
      throw new IllegalStateException("the evals did not all run at once", e);
    }
  }

  private static EvalResult result(String text) {
    return new EvalResult(Optional.of(text), Optional.empty(), Optional.empty(), "", "", 0);
  }

  /** Fails the way a name that begins with {@code boom-} says. */
  static void misbehave(String name) {
    if (name.startsWith("boom-defect")) {
      throw new IllegalStateException("secret detail");
    }
    for (ErrorCode code : ErrorCode.values()) {
      if (name.equals("boom-" + code)) {
        throw new ForkdException(code, "as told: " + code);
      }
    }
  }

  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the test forgot to open a gate");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

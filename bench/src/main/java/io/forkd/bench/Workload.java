package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.EvalOutcome;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What every contender does: numpy, a small array, its values as text. */
final class Workload {
  static final String EXPRESSION = "numpy.zeros(5).tolist()";
  static final String ANSWER = "[0.0, 0.0, 0.0, 0.0, 0.0]";

  /** The same as a program of its own, which must start Python and import numpy first. */
  static final String PYTHON = "/usr/bin/python3";

  static final String SCRIPT = "import numpy; print(%s, flush=True)".formatted(EXPRESSION);
  static final List<String> PROGRAM = List.of(PYTHON, "-c", SCRIPT);

  /** One thread per process, as in forkd's recipe. */
  static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/bin:/bin", "OMP_NUM_THREADS", "1", "OPENBLAS_NUM_THREADS", "1");

  private static final Duration LONGEST = Duration.ofMinutes(2);

  private Workload() {}

  /** Has a child do it; returns how long that took and fails when the answer is wrong. */
  static double ask(ForkdClient client, SandboxInfo child) {
    Stopwatch watch = new Stopwatch();
    EvalOutcome outcome = client.eval(child.id(), EXPRESSION, LONGEST);
    double evalMs = watch.millis();
    requireRight(child, outcome);
    return evalMs;
  }

  /** Has a child do it; returns all that is known of it and fails when the answer is wrong. */
  static EvalOutcome eval(ForkdClient client, SandboxInfo child) {
    EvalOutcome outcome = client.eval(child.id(), EXPRESSION, LONGEST);
    requireRight(child, outcome);
    return outcome;
  }

  private static void requireRight(SandboxInfo child, EvalOutcome outcome) {
    if (!ANSWER.equals(outcome.result().orElse(""))) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "%s answered %s to %s instead of %s: is numpy in the snapshot %s?"
              .formatted(
                  child.id(),
                  outcome.error().or(outcome::result).orElse("nothing"),
                  EXPRESSION,
                  ANSWER,
                  child.snapshotTag()));
    }
  }
}

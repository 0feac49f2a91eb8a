package io.forkd.bench;

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

  private Workload() {}
}

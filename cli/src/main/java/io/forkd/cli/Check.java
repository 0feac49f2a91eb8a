package io.forkd.cli;

import java.util.function.Supplier;

/** One question about this machine, and the way to its answer. */
record Check(String name, Supplier<Finding> probe) {
  /** The answer; a probe that throws is a defect to be reported, not the end of the others. */
  Finding run() {
    try {
      return probe.get();
    } catch (RuntimeException e) {
      return Finding.warn("the check itself failed: " + e, "unknown", "report this as a defect");
    }
  }
}

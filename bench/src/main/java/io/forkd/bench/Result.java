package io.forkd.bench;

import java.util.List;
import java.util.Optional;

/**
 * How one contender did the workload.
 *
 * @param name short and stable, for programs and charts
 * @param how what exactly was run, for people
 * @param runs how often the workload was really done
 * @param wallMs from the first start or request to the last answer, for all runs together
 * @param eachMs the time of every run
 * @param cpuMsPerRun CPU time per run until its answer
 * @param children what only forkd's own children tell
 * @param missing why there is nothing to tell; all else is empty then
 */
record Result(
    String name,
    String how,
    int runs,
    double wallMs,
    Samples eachMs,
    Optional<Double> cpuMsPerRun,
    Optional<ChildFacts> children,
    Optional<String> missing,
    List<String> remarks) {
  Result {
    remarks = List.copyOf(remarks);
  }

  static Result missing(String name, String why) {
    return new Result(
        name,
        "",
        0,
        0,
        Samples.NONE,
        Optional.empty(),
        Optional.empty(),
        Optional.of(why),
        List.of());
  }

  boolean measured() {
    return missing.isEmpty();
  }

  /** Whether the time for n is a projection from fewer runs. */
  boolean extrapolatedFor(int n) {
    return runs != n;
  }

  /** The time n runs take: measured when there were n, else in proportion. */
  double totalMs(int n) {
    return wallMs * n / runs;
  }
}

package io.forkd.bench;

import java.util.Optional;

/**
 * What {@code bench hogs} is to do.
 *
 * @param evals questions asked each time, with hogs and without
 * @param cpus what each hog's sandbox may have; empty means no limit
 */
record HogsOptions(String tag, int evals, Optional<Double> cpus, boolean json)
    implements BenchOptions {}

package io.forkd.bench;

/**
 * What {@code bench churn} is to do.
 *
 * @param n how many children are forked and killed, one after the other
 */
record ChurnOptions(String tag, int n, boolean json) implements BenchOptions {}

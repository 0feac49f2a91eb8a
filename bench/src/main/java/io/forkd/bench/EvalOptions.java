package io.forkd.bench;

/**
 * What {@code bench eval} is to do.
 *
 * @param n how many questions are asked, one after the other
 */
record EvalOptions(String tag, int n, boolean json) implements BenchOptions {}

package io.forkd.bench;

/**
 * What {@code bench load} is to do.
 *
 * @param clients how many ask at once, each over and over
 * @param sandboxes how many they ask
 */
record LoadOptions(String tag, int clients, int seconds, int sandboxes, boolean json)
    implements BenchOptions {}

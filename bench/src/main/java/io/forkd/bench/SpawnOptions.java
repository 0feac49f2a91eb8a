package io.forkd.bench;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What {@code bench spawn} is to measure.
 *
 * @param n children per forkd run, and the number of workloads every total is given for
 * @param pool whether to measure children taken warm from a pool too
 * @param peers whether to run the same workload in other programs
 * @param peerN how often containers run the workload; n when empty
 * @param boots how many VMs are booted cold; as many as run at once when empty
 * @param measured how many children are looked at right after they were restored
 * @param parallel how many workloads are under way at once, for forkd and peers alike
 */
record SpawnOptions(
    String tag,
    int n,
    boolean pool,
    boolean peers,
    Optional<Integer> peerN,
    Optional<Integer> boots,
    int measured,
    int parallel,
    boolean json,
    Path out)
    implements BenchOptions {}

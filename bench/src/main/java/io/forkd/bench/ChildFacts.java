package io.forkd.bench;

import java.util.Map;

/**
 * What is known of the children of one forkd run.
 *
 * @param pooled how many came warm from a pool
 * @param forkMs from the request to the answer that names all children
 * @param phasesMs the daemon's own account of every child's fork, by phase
 * @param evalMs round trip of every child's first eval
 * @param cpuFirstReplyMs CPU time every child's VMM used between the request and its first answer
 * @param anonymousKib memory of its own of every child after that
 * @param guestRamKib the part of it that is guest RAM
 * @param hostKibPerChild by how much the host's available memory fell, per child
 */
record ChildFacts(
    int pooled,
    double forkMs,
    Map<String, Samples> phasesMs,
    Samples evalMs,
    Samples cpuFirstReplyMs,
    Samples anonymousKib,
    Samples guestRamKib,
    double hostKibPerChild) {
  ChildFacts {
    phasesMs = Map.copyOf(phasesMs);
  }
}

package io.forkd.bench;

import java.util.Optional;

/**
 * How long a sandbox took to answer beside some hogs.
 *
 * @param name short and stable, for programs
 * @param what it says, for people
 * @param quietMs without them, before and after
 * @param loudMs with them
 */
record HogRow(String name, String what, Samples quietMs, Samples loudMs) {
  Optional<Double> ratio() {
    return Ratios.of(loudMs.p50(), quietMs.p50());
  }
}

package io.forkd.bench;

import java.util.Optional;

/**
 * A number that branching must not exceed.
 *
 * @param name short and stable, for programs
 * @param what it says, for people
 * @param measured empty when this run did not find it out
 * @param elsewhere what forkd (Rust) reports of its own on another machine; may be empty
 */
record Goal(
    String name,
    String what,
    Optional<Double> measured,
    double atMost,
    String unit,
    String elsewhere) {

  Optional<Boolean> met() {
    return measured.map(it -> it <= atMost);
  }
}

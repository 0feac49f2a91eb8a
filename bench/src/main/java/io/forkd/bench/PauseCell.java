package io.forkd.bench;

import io.forkd.client.BranchMode;
import java.util.Optional;

/**
 * What branches of a sandbox with so much changed memory cost.
 *
 * @param pauseMs how long the sandbox stood still, as the daemon says
 * @param copyMs all of the copying, as the daemon says
 * @param deltaMib the pages of the delta, as the daemon says
 * @param callMs from the request to its answer, the snapshot being on disk
 * @param writerMibS how fast the guest really wrote meanwhile; empty when it did not
 * @param missing why there is nothing to tell; all else is empty then
 */
record PauseCell(
    BranchMode mode,
    int dirtyMib,
    Samples pauseMs,
    Samples copyMs,
    Samples deltaMib,
    Samples callMs,
    Optional<Double> writerMibS,
    Optional<String> missing) {

  static PauseCell missing(BranchMode mode, int dirtyMib, String why) {
    return new PauseCell(
        mode,
        dirtyMib,
        Samples.NONE,
        Samples.NONE,
        Samples.NONE,
        Samples.NONE,
        Optional.empty(),
        Optional.of(why));
  }

  boolean measured() {
    return missing.isEmpty();
  }

  String name() {
    return "%s, %d MiB".formatted(mode, dirtyMib);
  }
}

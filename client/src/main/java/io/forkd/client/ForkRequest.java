package io.forkd.client;

import java.util.Optional;

/**
 * Children to make of a snapshot.
 *
 * @param measure whether each child's cost is to be noted when it is restored and has not run yet;
 *     such children never come from a pool
 * @param child what each of them is given
 */
public record ForkRequest(String tag, int n, boolean measure, ChildRequest child) {
  /** The usual: n children with what the daemon gives every sandbox. */
  public static ForkRequest of(String tag, int n) {
    return new ForkRequest(tag, n, false, ChildRequest.PLAIN);
  }

  JsonObject toJson() {
    JsonObject body =
        JsonObject.ofPairs("snapshot_tag", tag, "n", n)
            .with("measure", measure ? Optional.of(true) : Optional.empty());
    return child.addTo(body);
  }
}

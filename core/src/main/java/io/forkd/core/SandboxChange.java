package io.forkd.core;

import java.util.Map;
import java.util.Optional;

/**
 * What to change about a sandbox; empty parts stay as they are.
 *
 * @param limits all of them: those not named here are the daemon's defaults again
 * @param lifetime counted from now
 * @param labels all of them: those not named here go
 */
public record SandboxChange(
    Optional<Limits> limits,
    Optional<Lifetime> lifetime,
    Optional<Egress> egress,
    Optional<Map<String, String>> labels) {
  public SandboxChange {
    labels = labels.map(ChildSpec::checkedLabels);
  }
}

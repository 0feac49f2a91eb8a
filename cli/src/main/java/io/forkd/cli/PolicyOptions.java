package io.forkd.cli;

import io.forkd.client.EgressPolicy;
import io.forkd.client.OnTimeout;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What becomes of a sandbox whose time is over and whom it may reach, wherever they are set. */
final class PolicyOptions {
  @Option(
      names = "--on-timeout",
      paramLabel = "WHAT",
      converter = OnTimeoutConverter.class,
      description = "What happens then: kill, as it is unless told, or pause.")
  private Optional<OnTimeout> onTimeout = Optional.empty();

  @Option(
      names = "--egress",
      paramLabel = "POLICY",
      converter = EgressConverter.class,
      description = "Whom it may reach: none, internet or allow:HOST,*.HOST,CIDR.")
  private Optional<EgressPolicy> egress = Optional.empty();

  Optional<OnTimeout> onTimeout() {
    return onTimeout;
  }

  Optional<EgressPolicy> egress() {
    return egress;
  }
}

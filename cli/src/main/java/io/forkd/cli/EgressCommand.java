package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.EgressPolicy;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SandboxUpdate;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code forkd egress}: shows or changes whom a sandbox may reach. */
@Command(
    name = "egress",
    description = "Show whom a sandbox may reach, or change it while it runs.")
final class EgressCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "POLICY",
      converter = EgressConverter.class,
      description = "none, internet or allow:HOST,*.HOST,CIDR.")
  private Optional<EgressPolicy> policy = Optional.empty();

  EgressCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    SandboxInfo sandbox;
    try (ForkdClient client = daemon()) {
      sandbox =
          policy.isPresent()
              ? client.update(id, SandboxUpdate.nothing().egress(policy.get()))
              : client.sandbox(id);
    }
    if (json) {
      terminal().json(sandbox.json());
    } else {
      terminal().out().println(sentence(sandbox));
    }
    return ExitCode.OK;
  }

  private static String sentence(SandboxInfo sandbox) {
    if (sandbox.json().optionalText("netns").isEmpty() && !sandbox.paused()) {
      return sandbox.id() + " has no network: this daemon gives none.";
    }
    return "%s may reach: %s"
        .formatted(sandbox.id(), sandbox.egress().map(EgressPolicy::toString).orElse("not said"));
  }
}

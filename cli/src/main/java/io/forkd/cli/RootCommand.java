package io.forkd.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** {@code forkd} itself: help and version. */
@Command(
    name = "forkd",
    mixinStandardHelpOptions = true,
    versionProvider = RootCommand.VersionProvider.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Boots and warms a microVM once, then forks it a hundred times.",
    footer = {
      "",
      "Start with `forkd quickstart --yes`; `forkd doctor` says what this machine can do.",
      "Exit codes: 0 done, 1 failed, 2 used wrongly, 3 no daemon reachable.",
      "FORKD_DATA chooses the data folder, FORKD_URL and FORKD_TOKEN another daemon,",
      "FORKD_CA_FILE the authority that signed its certificate."
    })
final class RootCommand {
  /** Reads the version only when it is asked for. */
  static final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"forkd " + Version.text()};
    }
  }
}

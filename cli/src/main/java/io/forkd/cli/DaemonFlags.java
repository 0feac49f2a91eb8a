package io.forkd.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The daemon's own options, passed on as they are; those that say where it is are the CLI's to
 * give. What is to last is better written into the daemon's config file.
 */
final class DaemonFlags {
  private static final Set<String> PATHS = Set.of("FILE", "DIR");

  /** An option of the daemon; without a label it takes no value. */
  private record Flag(String name, String label, String help) {}

  private static final List<Flag> ALL =
      List.of(
          new Flag("--config", "FILE", "Read options from this file, not <data>/daemon.toml."),
          new Flag("--listen", "HOST:PORT", "Listen on TCP too, such as 127.0.0.1:8889."),
          new Flag("--token-file", "FILE", "Require the token in this file over TCP."),
          new Flag("--tls-cert", "FILE", "Speak TLS over TCP with this PEM certificate."),
          new Flag("--tls-key", "FILE", "The certificate's private key, PEM in PKCS#8."),
          new Flag("--insecure", "", "Let other hosts in without TLS or without a token."),
          new Flag("--socket-group", "NAME", "Let this group use the socket."),
          new Flag("--rate-limit", "N[:BURST]", "Requests a second per caller over TCP."),
          new Flag("--requests-at-once", "N", "Requests under way per caller over TCP."),
          new Flag("--log-format", "FORMAT", "text or json."),
          new Flag("--max-sandboxes", "N", "How many sandboxes may run at once."),
          new Flag("--memory-budget-mib", "M", "What all memory limits may sum up to."),
          new Flag("--reserve-memory-mib", "M", "Memory of the host forks must leave free."),
          new Flag("--default-memory-mib", "M", "A sandbox's memory limit when none is said."),
          new Flag("--default-cpus", "N", "A sandbox's processors when none are said."),
          new Flag("--default-pids", "N", "A sandbox's host threads when none are said."),
          new Flag("--default-io-bytes-per-sec", "N", "Its disk bandwidth when none is said."),
          new Flag("--default-egress", "POLICY", "none, internet or allow:HOST,*.HOST,CIDR."),
          new Flag("--no-network", "", "Give sandboxes no network at all."));

  private DaemonFlags() {}

  static void addTo(CommandSpec spec) {
    for (Flag flag : ALL) {
      OptionSpec.Builder option = OptionSpec.builder(flag.name()).description(flag.help());
      spec.addOption(
          flag.label().isEmpty()
              ? option.type(boolean.class).arity("0").build()
              : option.type(String.class).arity("1").paramLabel(flag.label()).build());
    }
  }

  /** What was said of them, as the daemon's command line. */
  static List<String> of(ParseResult parsed) {
    List<String> arguments = new ArrayList<>();
    for (Flag flag : ALL) {
      if (!parsed.hasMatchedOption(flag.name())) {
        continue;
      }
      arguments.add(flag.name());
      if (!flag.label().isEmpty()) {
        String value = parsed.matchedOptionValue(flag.name(), "");
        // The daemon runs in another folder.
        arguments.add(
            PATHS.contains(flag.label()) ? Path.of(value).toAbsolutePath().toString() : value);
      }
    }
    return arguments;
  }
}

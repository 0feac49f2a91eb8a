package io.forkd.server;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Something the daemon can be told: on its command line as {@code --max-sandboxes 50}, in its
 * environment as {@code FORKD_DAEMON_MAX_SANDBOXES=50}, in its config file as {@code max-sandboxes
 * = 50}.
 */
enum DaemonOption {
  CONFIG("--config", "FILE", "Read options from this file; <data>/daemon.toml when it exists."),
  SOCKET("--socket", "PATH", "The Unix socket; <run>/forkd.sock unless told."),
  LISTEN("--listen", "HOST:PORT", "Listen on TCP too, such as 127.0.0.1:8889."),
  TOKEN_FILE("--token-file", "FILE", "Require the token in this file over TCP."),
  TLS_CERT("--tls-cert", "FILE", "Speak TLS over TCP with this PEM certificate (chain)."),
  TLS_KEY("--tls-key", "FILE", "The certificate's private key, PEM in PKCS#8."),
  INSECURE("--insecure", "Let other hosts in without TLS, and without a token if there is none."),
  SOCKET_GROUP("--socket-group", "NAME", "Let this group use the socket, each member as a user."),
  RATE_LIMIT("--rate-limit", "N[:BURST]", "Requests a second per caller over TCP; 0: no limit."),
  REQUESTS_AT_ONCE("--requests-at-once", "N", "Requests under way per caller over TCP."),
  RECIPES("--recipes", "DIR", "The folder of recipes."),
  LOG_FORMAT("--log-format", "FORMAT", "text or json; text unless told."),
  E2B_DOMAIN("--e2b-domain", "NAME", "Where E2B's clients find PORT-SANDBOX.NAME; localhost."),
  E2B_TEMPLATES("--e2b-templates", "NAME=TAG,…", "The snapshots that E2B's templates stand for."),

  MAX_SANDBOXES("--max-sandboxes", "N", "How many sandboxes may run at once."),
  MEMORY_BUDGET("--memory-budget-mib", "M", "The most all sandboxes' memory limits may sum up to."),
  MEMORY_RESERVE("--reserve-memory-mib", "M", "Memory of the host that forks must leave free."),
  DEFAULT_MEMORY("--default-memory-mib", "M", "A sandbox's memory limit when its maker says none."),
  DEFAULT_CPUS("--default-cpus", "N", "A sandbox's processors, such as 0.5, when none are said."),
  DEFAULT_PIDS("--default-pids", "N", "A sandbox's limit of host threads when none is said."),
  DEFAULT_IO("--default-io-bytes-per-sec", "N", "A sandbox's disk bandwidth when none is said."),
  DEFAULT_EGRESS("--default-egress", "POLICY", "none, internet or allow:HOST,*.HOST,CIDR."),
  NO_NETWORK("--no-network", "Give sandboxes no network at all.");

  static final String PREFIX = "FORKD_DAEMON_";

  private final String flag;
  private final Optional<String> label;
  private final String help;

  DaemonOption(String flag, String label, String help) {
    this(flag, Optional.of(label), help);
  }

  /** An option that is there or not. */
  DaemonOption(String flag, String help) {
    this(flag, Optional.empty(), help);
  }

  DaemonOption(String flag, Optional<String> label, String help) {
    this.flag = flag;
    this.label = label;
    this.help = help;
  }

  /** Its name on the command line. */
  String flag() {
    return flag;
  }

  boolean takesValue() {
    return label.isPresent();
  }

  boolean isPath() {
    return label.filter(Set.of("FILE", "PATH", "DIR")::contains).isPresent();
  }

  /** Its name in the config file. */
  String key() {
    return flag.substring(2);
  }

  /** Its name in the environment. */
  String variable() {
    return PREFIX + key().replace('-', '_').toUpperCase(Locale.ROOT);
  }

  static Optional<DaemonOption> ofFlag(String flag) {
    return Arrays.stream(values()).filter(option -> option.flag.equals(flag)).findFirst();
  }

  static Optional<DaemonOption> ofKey(String key) {
    return Arrays.stream(values()).filter(option -> option.key().equals(key)).findFirst();
  }

  /** What the daemon prints when it is asked for help. */
  static String help() {
    return Arrays.stream(values())
        .map(option -> "  %-34s %s%n".formatted(option.synopsis(), option.help))
        .collect(
            Collectors.joining(
                "",
                "Usage: forkd-daemon [OPTION…]%n".formatted(),
                "Each may also be set in the environment (%sLISTEN=…) or the config file (listen = \"…\")%n"
                    .formatted(PREFIX)));
  }

  private String synopsis() {
    return flag + label.map(what -> " " + what).orElse("");
  }
}

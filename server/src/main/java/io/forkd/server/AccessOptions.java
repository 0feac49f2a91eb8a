package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the daemon was told about who may come in.
 *
 * @param insecure whether strangers and listeners on the way are the operator's own risk
 * @param socketGroup whose members may use the Unix socket, beside the daemon's own user
 */
record AccessOptions(
    Optional<InetSocketAddress> listen,
    Optional<Path> tokenFile,
    Optional<Tls> tls,
    boolean insecure,
    Optional<String> socketGroup,
    Throttle.Limits limits) {
  private static final Pattern RATE = Pattern.compile("(\\d{1,7})(?::(\\d{1,7}))?");

  /** A certificate chain and its private key, as PEM files. */
  record Tls(Path certificate, Path key) {}

  static AccessOptions read(DaemonSettings settings) {
    AccessOptions options =
        new AccessOptions(
            settings.text(DaemonOption.LISTEN).map(ListenAddress::parse),
            settings.path(DaemonOption.TOKEN_FILE),
            tls(settings),
            settings.flag(DaemonOption.INSECURE),
            settings.text(DaemonOption.SOCKET_GROUP),
            limits(settings));
    options.refuseOpenDoor();
    return options;
  }

  /** Whom the TCP port lets in while there is neither a token nor a key. */
  Principals.Door door() {
    boolean local = listen.isPresent() && ListenAddress.isLoopback(listen.get());
    return local ? Principals.Door.LOCAL : insecure ? Principals.Door.OPEN : Principals.Door.SHUT;
  }

  /**
   * What other hosts can reach must be encrypted. It needs no token file: where there is none,
   * nobody comes in without a key.
   */
  private void refuseOpenDoor() {
    boolean foreign = listen.isPresent() && !ListenAddress.isLoopback(listen.get());
    if (foreign && tls.isEmpty() && !insecure) {
      throw ForkdException.badRequest(
          "--listen %s is reachable from other hosts, and without TLS whoever is on the way reads"
              + " and uses every token: give --tls-cert and --tls-key, and --token-file or keys"
              + " (`forkd key create`); or listen on 127.0.0.1; or add --insecure if that network"
              + " is yours alone.",
          listen.get());
    }
  }

  /** What an operator should know about how open the door is. */
  List<String> warnings(boolean keysInUse) {
    if (listen.isEmpty()) {
      return List.of();
    }
    List<String> warnings = new ArrayList<>();
    if (tls.isEmpty() && !ListenAddress.isLoopback(listen.get())) {
      warnings.add(
          "--insecure: what goes over %s is not encrypted, so whoever is on the way reads and uses"
                  .formatted(listen.get())
              + " every token");
    }
    if (tokenFile.isEmpty() && !keysInUse) {
      warnings.add(
          switch (door()) {
            case LOCAL ->
                "Every user of this host may do everything over %s: give --token-file to change that"
                    .formatted(listen.get());
            case OPEN ->
                "--insecure: EVERYBODY who can reach %s may do everything: give --token-file, or make"
                        .formatted(listen.get())
                    + " a key";
            case SHUT ->
                "There is neither a token nor a key, so nobody can come in over %s: `forkd key create`"
                        .formatted(listen.get())
                    + " makes one";
          });
    }
    return warnings;
  }

  private static Optional<Tls> tls(DaemonSettings settings) {
    Optional<Path> certificate = settings.path(DaemonOption.TLS_CERT);
    Optional<Path> key = settings.path(DaemonOption.TLS_KEY);
    if (certificate.isPresent() != key.isPresent()) {
      throw ForkdException.badRequest("--tls-cert and --tls-key go together: give both.");
    }
    return certificate.flatMap(path -> key.map(secret -> new Tls(path, secret)));
  }

  private static Throttle.Limits limits(DaemonSettings settings) {
    Throttle.Limits usual = Throttle.Limits.DEFAULT;
    int atOnce = settings.integer(DaemonOption.REQUESTS_AT_ONCE, 1, 100_000).orElse(usual.atOnce());
    return settings
        .text(DaemonOption.RATE_LIMIT)
        .map(text -> rate(text, atOnce))
        .orElse(new Throttle.Limits(usual.perSecond(), usual.burst(), atOnce));
  }

  private static Throttle.Limits rate(String text, int atOnce) {
    Matcher matcher = RATE.matcher(text);
    if (!matcher.matches()) {
      throw ForkdException.badRequest(
          "--rate-limit is '%s': use requests a second, such as 200, or with a burst, 200:400; 0"
              + " means no limit.",
          Printable.shorten(text));
    }
    int perSecond = Integer.parseInt(matcher.group(1));
    String burst = matcher.group(2);
    return new Throttle.Limits(
        perSecond, Math.max(1, burst == null ? 2 * perSecond : Integer.parseInt(burst)), atOnce);
  }
}

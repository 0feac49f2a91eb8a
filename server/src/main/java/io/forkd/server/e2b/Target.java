package io.forkd.server.e2b;

import io.forkd.base.SandboxId;
import io.forkd.core.Forkd;
import io.forkd.core.Sandbox;
import io.forkd.server.http.Exchange;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sandbox and port a request is for.
 *
 * @param sandbox as the client wrote it
 */
record Target(String sandbox, int port) {
  /** What serves processes and files. */
  static final int ENVD = 49983;

  /** What runs code. */
  static final int INTERPRETER = 49999;

  private static final Pattern PORT_HOST =
      Pattern.compile("(\\d{1,5})-(sb-[0-9a-f]{8,16}-[0-9]{4})\\..*");

  /** Empty when a request is for no sandbox. */
  static Optional<Target> of(Exchange exchange, Forkd everything, Tokens tokens) {
    Optional<String> named = exchange.header("E2b-Sandbox-Id");
    if (named.isPresent()) {
      String port = exchange.header("E2b-Sandbox-Port").orElse(String.valueOf(ENVD));
      return Optional.of(new Target(named.get(), port(port)));
    }
    Matcher host = PORT_HOST.matcher(exchange.header("Host").orElse(""));
    if (host.matches()) {
      return Optional.of(new Target(host.group(2), port(host.group(1))));
    }
    if (!isEnvd(exchange.rawPath())) {
      return Optional.empty();
    }
    return byToken(exchange, everything, tokens);
  }

  /** Signed URLs and old clients name no sandbox, but their token is only one's. */
  private static Optional<Target> byToken(Exchange exchange, Forkd everything, Tokens tokens) {
    Optional<String> shown = exchange.header("X-Access-Token");
    Optional<Signature> signature = Signature.of(exchange);
    if (shown.isEmpty() && signature.isEmpty()) {
      return Optional.empty();
    }
    Optional<SandboxId> found = Optional.empty();
    for (Sandbox sandbox : everything.sandboxes()) {
      SandboxId id = sandbox.id();
      Optional<Tokens.Bearer> bearer =
          shown
              .flatMap(text -> tokens.bearer(Tokens.Purpose.ENVD, id, text))
              .or(() -> signature.flatMap(signed -> tokens.signer(id, signed)));
      if (bearer.isPresent()) {
        found = Optional.of(id);
      }
    }
    return Optional.of(new Target(found.map(SandboxId::value).orElse("of that token"), ENVD));
  }

  private static boolean isEnvd(String path) {
    return path.equals("/files")
        || path.startsWith("/process.Process/")
        || path.startsWith("/filesystem.Filesystem/");
  }

  private static int port(String text) {
    int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    return port > 65_535 ? 0 : port;
  }
}

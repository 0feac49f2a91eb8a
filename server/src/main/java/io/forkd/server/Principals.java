package io.forkd.server;

import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells who sends a request: by the secret it shows, else by the user at the other end of the Unix
 * socket; and where the daemon asks for no secrets, any program on this host but no web page.
 */
final class Principals {
  static final String TOKEN = "token";
  static final String ANONYMOUS = "anonymous";

  /** What browsers say of requests that a page of another origin makes. */
  private static final Set<String> ELSEWHERE = Set.of("cross-site", "same-site");

  private static final Principal TOKEN_HOLDER = Principal.unbound(TOKEN, Role.ADMIN);
  private static final Principal ANYBODY = Principal.unbound(ANONYMOUS, Role.ADMIN);
  private static final Pattern LOOPBACK_HOST =
      Pattern.compile(
          "(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);

  /** A name may be made to mean this host by whoever owns the name, an address may not. */
  private static final Pattern ADDRESS_HOST =
      Pattern.compile("(\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9A-Fa-f:.]+])(:\\d{1,5})?");

  private final Optional<TokenFile> token;
  private final ApiKeys keys;
  private final Door door;
  private final long ownUser;

  /** Whom the TCP port lets in while there is no token and never was a key. */
  enum Door {
    /** Nobody. */
    SHUT,
    /** Programs on this host. */
    LOCAL,
    /** Anybody who can reach it, because the operator said so. */
    OPEN
  }

  Principals(Optional<TokenFile> token, ApiKeys keys, Door door, long ownUser) {
    this.token = token;
    this.keys = keys;
    this.door = door;
    this.ownUser = ownUser;
  }

  /** Empty when nobody can be told, who may only do what everybody may. */
  Optional<Principal> of(Exchange exchange) {
    List<String> shown = Credentials.in(exchange);
    if (shown.size() > 1) {
      return Optional.empty();
    }
    for (String secret : shown) {
      if (token.isPresent() && token.get().matches(secret)) {
        return Optional.of(TOKEN_HOLDER);
      }
      // A key that no longer holds must not fall back to what its holder may do without it.
      if (ApiKey.looksLikeOne(secret)) {
        return keys.verify(secret);
      }
    }
    return exchange.overUnixSocket() ? peer(exchange) : stranger(exchange);
  }

  private Optional<Principal> peer(Exchange exchange) {
    OptionalLong user = exchange.peerUser();
    if (user.isEmpty()) {
      return Optional.empty();
    }
    String name = "uid:" + user.getAsLong();
    boolean master = user.getAsLong() == 0 || user.getAsLong() == ownUser;
    return Optional.of(
        master
            ? Principal.unbound(name, Role.ADMIN)
            : new Principal(name, Role.USER, Optional.of(name)));
  }

  private Optional<Principal> stranger(Exchange exchange) {
    if (token.isPresent() || keys.inUse() || door == Door.SHUT) {
      return Optional.empty();
    }
    refuseBrowsers(exchange);
    return Optional.of(ANYBODY);
  }

  /** A page may send requests to this host, by name tricks or plainly, but it cannot hide that. */
  private void refuseBrowsers(Exchange exchange) {
    Optional<String> host = exchange.header("Host");
    boolean foreign = host.isPresent() && !isThisHost(host.get());
    boolean fromAPage =
        exchange.header("Origin").isPresent()
            || exchange.header("Sec-Fetch-Site").filter(ELSEWHERE::contains).isPresent();
    if (foreign || fromAPage) {
      throw new HttpProblem(
          403,
          "A daemon without a token takes no requests from web pages or for other host names:"
              + " start it with --token-file, or use 127.0.0.1.");
    }
  }

  private boolean isThisHost(String host) {
    return LOOPBACK_HOST.matcher(host).matches()
        || (door == Door.OPEN && ADDRESS_HOST.matcher(host).matches());
  }
}

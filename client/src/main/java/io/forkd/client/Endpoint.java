package io.forkd.client;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Where a daemon listens, and the token it wants. */
public sealed interface Endpoint {
  Optional<String> token();

  /** A socket file on this host. */
  record Unix(Path socket, Optional<String> token) implements Endpoint {
    @Override
    public String toString() {
      return "unix://" + socket;
    }
  }

  /**
   * An {@code http} or {@code https} address.
   *
   * @param caFile the authorities to trust, in PEM; empty means those the JVM trusts
   */
  record Tcp(URI base, Optional<String> token, Optional<Path> caFile) implements Endpoint {
    public Tcp(URI base, Optional<String> token) {
      this(base, token, Optional.empty());
    }

    public Tcp {
      String scheme = base.getScheme();
      if (base.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
        throw new ForkdClientException(
            400, "'%s' is no daemon's address: use http://host:port or https://.".formatted(base));
      }
    }

    @Override
    public String toString() {
      return base.toString();
    }
  }

  static Endpoint unix(Path socket) {
    return new Unix(socket, Optional.empty());
  }

  /** From {@code http://…}, {@code https://…}, {@code unix:///path} or an absolute path. */
  static Endpoint parse(String address, Optional<String> token) {
    return parse(address, token, Optional.empty());
  }

  /** The same, trusting the authorities in a file. */
  static Endpoint parse(String address, Optional<String> token, Optional<Path> caFile) {
    if (address.startsWith("/")) {
      return new Unix(Path.of(address), token);
    }
    if (address.startsWith("unix://")) {
      return new Unix(Path.of(address.substring("unix://".length())), token);
    }
    try {
      return new Tcp(URI.create(address), token, caFile);
    } catch (IllegalArgumentException e) {
      throw new ForkdClientException(
          400,
          "'%s' is no daemon's address: use http://host:port or unix:///path.".formatted(address),
          e);
    }
  }
}

package io.forkd.core;

/** Opens the core on this host. */
public final class LocalForkd {
  private LocalForkd() {}

  public static Forkd open(CoreConfig config) {
    throw new UnsupportedOperationException("being written: " + config);
  }
}

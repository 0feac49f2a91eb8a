package io.forkd.core.net;

import io.forkd.core.Egress;
import java.nio.file.Path;

/**
 * How a daemon's networks are made.
 *
 * @param usual the egress that spare ones have, so that most sandboxes need no change of rules
 * @param spares how many are made ahead
 * @param host what they are joined to
 * @param resolvConf the file that names the host's name servers
 */
public record NetworkOptions(Egress usual, int spares, HostNet host, Path resolvConf) {
  private static final int A_FEW = 8;

  /** On this host, a few ahead. */
  public static NetworkOptions of(Egress usual) {
    return new NetworkOptions(usual, A_FEW, HostNet.OWN, ResolvConf.USUAL);
  }
}

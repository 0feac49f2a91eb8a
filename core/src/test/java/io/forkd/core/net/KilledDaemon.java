package io.forkd.core.net;

import io.forkd.core.Egress;
import io.forkd.linux.Netns;
import java.nio.file.Path;
import java.util.Optional;

/** A daemon with networks in use, in a JVM of its own so that it can be killed at any moment. */
final class KilledDaemon {
  private KilledDaemon() {}

  /**
   * Takes networks for ever.
   *
   * @param arguments the run folder, the host's network and the resolv.conf
   */
  public static void main(String[] arguments) {
    Path conf = Path.of(arguments[2]);
    HostNet host = new HostNet(Optional.of(new Netns(Path.of(arguments[1]))));
    var options = new NetworkOptions(Egress.INTERNET, 2, host, conf);
    if (Networks.open(Path.of(arguments[0]), options) instanceof Networks.Opened.Ready(var n)) {
      while (true) {
        System.out.println(n.take().name());
      }
    }
  }
}

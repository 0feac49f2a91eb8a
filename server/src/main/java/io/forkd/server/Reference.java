package io.forkd.server;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** A short name by which a caller's report and the daemon's log find each other. */
final class Reference {
  private Reference() {}

  static String next() {
    return "r-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 8);
  }
}

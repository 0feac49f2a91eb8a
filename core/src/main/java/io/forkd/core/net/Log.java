package io.forkd.core.net;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The logger of the network. */
final class Log {
  static final Logger NET = LoggerFactory.getLogger("io.forkd.core.net");

  private Log() {}
}

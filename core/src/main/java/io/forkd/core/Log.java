package io.forkd.core;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The core's logger. */
final class Log {
  static final Logger CORE = LoggerFactory.getLogger("io.forkd.core");

  private Log() {}
}

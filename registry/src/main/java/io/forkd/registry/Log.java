package io.forkd.registry;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registry's logger. */
final class Log {
  static final Logger REGISTRY = LoggerFactory.getLogger("io.forkd.registry");

  private Log() {}
}

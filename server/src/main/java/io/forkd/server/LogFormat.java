package io.forkd.server;

/** What a line of the daemon's log looks like. */
enum LogFormat {
  /** For people. */
  TEXT,
  /** One JSON object, for programs. */
  JSON
}

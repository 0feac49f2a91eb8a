package io.forkd.server;

import static io.forkd.server.Schema.decimal;
import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.listOf;
import static io.forkd.server.Schema.oneOf;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.someOf;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.server.Schema.Shape;

/** The schemas of processes in a guest. */
final class ProcessSchemas {
  static final int LARGEST_SIDE = 65_535;

  /** What the agent can count to in milliseconds. */
  static final int LONGEST_TIMEOUT_SECONDS = 4_000_000;

  static final Shape SIZE =
      shape("TerminalSize")
          .with("cols", whole(1, LARGEST_SIDE))
          .with("rows", whole(1, LARGEST_SIDE));

  static final Shape START =
      shape("ProcessRequest")
          .optional("args", someOf(text()), "The program and its arguments; or cmd.")
          .optional("cmd", text(), "What /bin/sh -c is to run; or args.")
          .optional("env", EnvironmentFields.SCHEMA, "Added to the sandbox's environment.")
          .optional("cwd", text(), "The user's home unless told.")
          .optional("user", text(), "root unless told.")
          .optional("stdin", flag(), "Whether its input is written to later.")
          .optional("pty", SIZE, "Run it in a terminal of this size.")
          .optional("tag", text(), "A name to find it by.")
          .optional(
              "timeout_secs",
              decimal(0, LONGEST_TIMEOUT_SECONDS),
              "When its group is killed; 0 or absent is never.");

  static final Shape PROCESS =
      shape("ProcessInfo")
          .with("pid", Schemas.PID)
          .with("args", listOf(text()))
          .with("cwd", text())
          .with("user", text())
          .optional("tag", text())
          .with("pty", flag())
          .with("started_at", text(), "In ISO 8601.")
          .with("state", oneOf("running", "exited", "signalled"))
          .optional("code", whole())
          .optional("signal", whole(1, Signals.LAST))
          .optional("timed_out", flag());

  static final Shape SIGNAL = shape("SignalRequest").with("signal", Signals.SCHEMA);

  private ProcessSchemas() {}
}

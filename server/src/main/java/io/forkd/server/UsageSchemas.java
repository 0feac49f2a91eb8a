package io.forkd.server;

import static io.forkd.server.Schema.decimal;
import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.listOf;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.core.SandboxState;
import io.forkd.server.Schema.Shape;

/** The schemas of what is used and of what must hold. */
final class UsageSchemas {
  static final Shape USE =
      shape("SandboxUse")
          .with("id", Schemas.SANDBOX_ID)
          .with("state", Schema.oneOf(SandboxState.class))
          .with("cpu_ms", decimal(0), "Processor time since it was made.")
          .with("private_bytes", Schemas.BYTES, "Memory that nobody shares with it.")
          .with("shared_bytes", Schemas.BYTES, "Memory of its snapshot that it has mapped.")
          .with("threads", whole(0))
          .optional("oom_kills", whole(0));

  static final Shape CAPACITY =
      shape("Capacity")
          .with(
              "budgets",
              listOf(
                  shape("Budget")
                      .with("name", text())
                      .with("used", whole(0))
                      .optional("most", whole(1), "Absent when there is no bound.")));

  static final Shape READINESS =
      shape("Readiness")
          .with("ready", flag())
          .optional(
              "checks",
              listOf(
                  shape("ReadinessCheck")
                      .with("name", text())
                      .with("ok", flag())
                      .with("detail", text())),
              "For callers who show a token.");

  private UsageSchemas() {}
}

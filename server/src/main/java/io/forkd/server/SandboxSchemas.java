package io.forkd.server;

import static io.forkd.server.Schema.decimal;
import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.listOf;
import static io.forkd.server.Schema.mapOf;
import static io.forkd.server.Schema.orNull;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.someOf;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.core.ForkSpec;
import io.forkd.server.Schema.Shape;

/** The schemas of sandboxes and of calls into them. */
final class SandboxSchemas {
  static final Shape FORK =
      shape("ForkRequest")
          .with("snapshot_tag", Schemas.TAG)
          .optional("n", whole(1, ForkSpec.MOST))
          .optional("measure", flag(), "Whether to take stock of each child when it is restored.")
          .optional("per_child_netns", flag(), "From older clients.")
          .optional("prewarm", flag(), "From older clients.")
          .optional("live_fork", flag(), "From older clients.")
          .optional("hugepages", flag(), "From older clients.")
          .withAll(ChildSchemas.GIVEN)
          .optional("env", EnvironmentFields.SCHEMA, "Set in each child.");

  private static final Shape PROOF =
      shape("ForkProof")
          .with("hostname", text())
          .with("machine_id", text())
          .with("boot_id", text())
          .with("clock_error_ms", whole())
          .with("clock_step_ms", whole())
          .with("entropy_bytes", whole(0))
          .with("crng_reseeded", flag())
          .with("kernel_uuid", text())
          .with("hooks", listOf(text()));

  private static final Shape RESTORED =
      shape("RestoredCost")
          .with("cpu_ms", decimal(0))
          .with("anonymous_kib", whole(0))
          .with("guest_ram_kib", whole(0));

  static final Shape SANDBOX =
      shape("SandboxInfo")
          .with("id", Schemas.SANDBOX_ID)
          .with("snapshot_tag", Schemas.TAG)
          .with("created_at_unix", Schemas.UNIX_TIME)
          .with("pid", whole(0))
          .with("has_branched", flag())
          .with("branch_count", whole(0))
          .with("branch_mode", Schemas.BRANCH_MODE)
          .with("branch_way", Schemas.BRANCH_WAY)
          .withAll(ChildSchemas.SHOWN)
          .with("pooled", flag(), "Whether it was taken warm from a pool.")
          .with("proof", PROOF, "What was made different in it before it was handed out.")
          .with("phases_ms", mapOf(decimal(0)), "How long each phase of its fork took.")
          .optional("restored", RESTORED);

  static final Shape PONG =
      shape("Pong")
          .with("pong", flag())
          .with("pid", whole(0))
          .with("guest_uptime_secs", decimal(0))
          .with("round_trip_ms", decimal(0));

  private static final Schema TIMEOUT = decimal(1, 3600);

  static final Shape EXEC =
      shape("ExecRequest")
          .with("args", someOf(text()), "The program and its arguments.")
          .optional("timeout_secs", TIMEOUT);

  static final Shape EXECUTED =
      shape("ExecResult")
          .with("stdout", text())
          .with("stderr", text())
          .with("exit_code", whole())
          .with("truncated", flag())
          .with("timed_out", flag());

  static final Shape EVAL =
      shape("EvalRequest").with("code", text()).optional("timeout_secs", TIMEOUT);

  static final Shape EVALUATED =
      shape("EvalResult")
          .with("result", orNull(text()))
          .with("error", orNull(text()))
          .with("exit_code", whole())
          .with("stdout", text())
          .with("stderr", text())
          .optional("traceback", text());

  private SandboxSchemas() {}
}

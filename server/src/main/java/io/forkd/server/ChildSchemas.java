package io.forkd.server;

import static io.forkd.server.Schema.anyOf;
import static io.forkd.server.Schema.decimal;
import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.listOf;
import static io.forkd.server.Schema.mapOf;
import static io.forkd.server.Schema.oneOf;
import static io.forkd.server.Schema.orNull;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.core.ChildSpec;
import io.forkd.core.EndReason;
import io.forkd.core.Lifetime;
import io.forkd.core.Limits;
import io.forkd.core.SandboxState;
import io.forkd.core.Workspace;
import io.forkd.server.Schema.Shape;
import java.util.function.UnaryOperator;

/** The schemas of what a sandbox is given, of its end and of workspaces. */
final class ChildSchemas {
  static final Schema WORKSPACE_NAME = Schema.matching("[A-Za-z0-9_][A-Za-z0-9._-]{0,53}");

  private static final Schema AT_END = oneOf(Lifetime.AtEnd.class);
  private static final Schema LABELS = mapOf(text(ChildSpec.LONGEST_VALUE));
  private static final Schema EGRESS =
      anyOf(
          oneOf("none", "internet"),
          shape("EgressPolicy")
              .with("policy", oneOf("none", "internet", "allowlist"))
              .optional("domains", listOf(text()), "Host names; *.example.org is all below it.")
              .optional("cidrs", listOf(text()), "Ranges of IPv4 addresses, or single ones."));

  /** The limits, wherever they are asked for or shown; where they are changed, null lifts one. */
  private static Shape limits(UnaryOperator<Schema> form) {
    Schema memory = whole(Limits.LEAST_MEMORY_MIB, Limits.MOST_MEMORY_MIB);
    Schema cpus = decimal(Limits.LEAST_CPUS, Limits.MOST_CPUS);
    Schema pids = whole(Limits.LEAST_PIDS, Limits.MOST_PIDS);
    return shape()
        .optional("memory_limit_mib", form.apply(memory))
        .optional("cpus", form.apply(cpus), "0.5 is half of one.")
        .optional("pids", form.apply(pids), "Threads on the host.")
        .optional(
            "io_bytes_per_sec", form.apply(whole(Limits.LEAST_IO)), "Read and written, each.");
  }

  /** What a sandbox can be given when it is made. */
  static final Shape GIVEN =
      limits(UnaryOperator.identity())
          .optional("ttl_secs", Schemas.TTL, "Its time is over after that, used or not.")
          .optional("idle_timeout_secs", Schemas.TTL, "Or when nobody called it for so long.")
          .optional("on_timeout", AT_END, "What happens then; kill unless told.")
          .optional("egress", EGRESS, "Whom it may reach; the daemon's default unless told.")
          .optional("labels", LABELS);

  static final Shape CHANGE =
      limits(Schema::orNull)
          .extended("SandboxChange")
          .optional("ttl_secs", orNull(Schemas.TTL), "From now on; null for no end.")
          .optional("idle_timeout_secs", orNull(Schemas.TTL), "null for no such end.")
          .optional("on_timeout", AT_END)
          .optional("egress", EGRESS)
          .optional("labels", LABELS, "All of them: those not named go.");

  /** What is shown of what a sandbox was given. */
  static final Shape SHOWN =
      GIVEN
          .with("state", oneOf(SandboxState.class))
          .optional("owner", text())
          .optional("expires_at_unix", Schemas.UNIX_TIME)
          .optional("netns", text(), "Its network namespace on the host.")
          .optional("guest_addr", text(), "Its own address, the same in every sandbox.");

  static final Shape ENDED =
      shape("EndedSandbox")
          .with("id", Schemas.SANDBOX_ID)
          .with("snapshot_tag", Schemas.TAG)
          .with("created_at_unix", Schemas.UNIX_TIME)
          .with("ended_at_unix", Schemas.UNIX_TIME)
          .with(
              "reason",
              shape("EndReason")
                  .with("kind", oneOf(EndReason.Kind.class))
                  .with("text", text())
                  .with("log", listOf(text()), "The last lines its VMM or guest wrote."))
          .optional("labels", LABELS)
          .optional("owner", text());

  static final Shape CREATE_WORKSPACE =
      shape("WorkspaceRequest")
          .with("name", WORKSPACE_NAME)
          .with("snapshot_tag", Schemas.TAG)
          .optional("per_child_netns", flag(), "From older clients.")
          .withAll(GIVEN);

  static final Shape MOVE_WORKSPACE =
      shape("WorkspaceMove").optional("diff", flag(), "From older clients.");

  static final Shape WORKSPACE =
      shape("WorkspaceInfo")
          .with("id", text())
          .with("name", WORKSPACE_NAME)
          .with("source_snapshot_tag", Schemas.TAG)
          .optional("current_state_tag", Schemas.TAG)
          .with("status", oneOf(Workspace.Status.class))
          .optional("live_sandbox_id", Schemas.SANDBOX_ID)
          .with("created_at_unix", Schemas.UNIX_TIME)
          .with("last_active_unix", Schemas.UNIX_TIME)
          .optional("labels", LABELS)
          .optional("owner", text());

  private ChildSchemas() {}
}

package io.forkd.server;

import static io.forkd.server.Schema.decimal;
import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.listOf;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.core.Snapshot;
import io.forkd.server.Schema.Shape;

/** The schemas of snapshots. */
final class SnapshotSchemas {
  private static final Schema WAIT = decimal(1, 3600);

  static final Shape CREATE =
      shape("SnapshotRequest")
          .with("tag", Schemas.TAG)
          .optional("recipe", text(), "A recipe's name, or the absolute path of a recipe file.")
          .optional("rootfs", text(), "Instead of a recipe: an absolute path on the host.")
          .optional("kernel", text(), "With rootfs: an absolute path on the host.")
          .optional("memory_mib", whole(128, 1 << 20))
          .optional("vcpus", whole(1, 64))
          .optional("warmup", text(), "Code for the runtime kernel, else a shell command.")
          .optional("ready_timeout_secs", WAIT)
          .optional("boot_wait_secs", WAIT, "From older clients.")
          .optional("rw", flag(), "From older clients; not honoured.")
          .optional("tap", Schema.anything(), "From older clients; not honoured.")
          .optional("image", Schema.anything(), "From older clients; not honoured.")
          .optional("ready", Schema.anything(), "From older clients; not honoured.");

  static final Shape SNAPSHOT =
      shape("SnapshotInfo")
          .with("tag", Schemas.TAG)
          .with("dir", text())
          .with("created_at_unix", Schemas.UNIX_TIME)
          .with("status", Schema.oneOf(Snapshot.Status.class))
          .with("bootable", flag(), "Whether it can be forked on this host.")
          .optional("warning", text())
          .optional("expires_at_unix", Schemas.UNIX_TIME)
          .optional("owner", text(), "Whose it is; without one it is everybody's to fork.")
          .optional("branched_from", Schemas.SANDBOX_ID)
          .optional("mode", Schemas.BRANCH_MODE)
          .optional("pause_ms", decimal(0), "From vCPUs stopped to vCPUs running again.")
          .optional("diff_ms", decimal(0))
          .optional("diff_logical_bytes", Schemas.BYTES)
          .optional("diff_physical_bytes", Schemas.BYTES)
          .optional("parent_tag", Schemas.TAG)
          .with("chain_depth", whole(0))
          .with("memory_mib", whole(0))
          .with("memory_logical_bytes", Schemas.BYTES)
          .with("memory_physical_bytes", Schemas.BYTES)
          .with("vcpus", whole(0))
          .with("source", text())
          .with("arch", text())
          .with("vmm", text())
          .with("machine", text())
          .with("content_hash", text())
          .with("runtimes", listOf(text()));

  static final Shape DETAIL =
      SNAPSHOT
          .extended("SnapshotDetail")
          .with("vmstate_bytes", Schemas.BYTES)
          .optional("parent_content_hash", text())
          .with("ancestors", Schemas.tags(), "Root first.")
          .with("dependents", Schemas.tags())
          .with("sandboxes", listOf(Schemas.SANDBOX_ID));

  private SnapshotSchemas() {}
}

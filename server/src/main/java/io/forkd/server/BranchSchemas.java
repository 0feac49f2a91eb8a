package io.forkd.server;

import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.listOf;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.core.BranchSpec;
import io.forkd.core.Difference;
import io.forkd.core.ForkSpec;
import io.forkd.server.Schema.Shape;

/** The schemas of branches, chains and comparisons. */
final class BranchSchemas {
  private static final Schema KEEP_LAST = whole(1, BranchSpec.MOST_KEPT);

  static final Shape BRANCH =
      shape("BranchRequest")
          .optional("tag", Schemas.TAG)
          .optional("mode", Schemas.BRANCH_MODE)
          .optional("diff", flag(), "From older clients; excludes mode.")
          .optional("measure_diff", flag(), "From older clients; sizes are always told.")
          .optional("wait", flag(), "Whether to wait for the disk; true unless told.")
          .optional("parent_tag", Schemas.TAG, "Refused unless it is the sandbox's snapshot.")
          .optional("ttl_secs", Schemas.TTL)
          .optional("keep_last", KEEP_LAST);

  static final Shape FAN_OUT =
      shape("FanOutRequest")
          .optional("tag", Schemas.TAG)
          .optional("mode", Schemas.BRANCH_MODE)
          .optional("n", whole(1, ForkSpec.MOST))
          .optional("snapshot_ttl_secs", Schemas.TTL)
          .optional("keep_last", KEEP_LAST)
          .withAll(ChildSchemas.GIVEN)
          .optional("env", EnvironmentFields.SCHEMA, "Set in each child.");

  static final Shape FANNED_OUT =
      shape("FanOut")
          .with("snapshot", SnapshotSchemas.SNAPSHOT)
          .with("sandboxes", listOf(SandboxSchemas.SANDBOX))
          .with(
              "failures",
              listOf(shape("ForkFailure").with("index", whole(0)).with("error", text())));

  static final Shape ROLLBACK = shape("RollbackRequest").with("tag", Schemas.TAG);

  static final Shape COMPACT = shape("CompactRequest").with("to", Schemas.TAG);

  static final Shape COLLECT = shape("CollectRequest").optional("dry_run", flag());

  static final Shape COLLECTED =
      shape("Collected")
          .with("dry_run", flag())
          .with("freed_bytes", Schemas.BYTES)
          .with(
              "collected",
              listOf(
                  shape("CollectedSnapshot")
                      .with("tag", Schemas.TAG)
                      .with("reason", text())
                      .with("bytes", Schemas.BYTES)));

  static final Shape COMPARE =
      shape("CompareRequest")
          .with("a", text(), "A tag or a sandbox id.")
          .with("b", text(), "A tag or a sandbox id.")
          .optional("text", flag(), "Whether text files get a unified diff.");

  private static final Shape FILE_CHANGE =
      shape("FileChange")
          .with("path", text())
          .with("change", Schema.oneOf(Difference.Kind.class))
          .with("type", text())
          .optional("size_a", Schemas.BYTES)
          .optional("size_b", Schemas.BYTES)
          .with("what", listOf(text()))
          .with("lines_added", whole(0))
          .with("lines_removed", whole(0))
          .optional("unified", text());

  static final Shape DIFFERENCE =
      shape("Difference")
          .with("a", text())
          .with("b", text())
          .with("files", listOf(FILE_CHANGE))
          .with(
              "pages",
              shape()
                  .with("total", whole(0))
                  .with("compared", whole(0))
                  .with("differing", whole(0))
                  .with("page_bytes", whole(1)))
          .with(
              "processes",
              shape()
                  .with("in_a", whole(0))
                  .with("in_b", whole(0))
                  .with("only_a", listOf(text()))
                  .with("only_b", listOf(text())));

  private BranchSchemas() {}
}

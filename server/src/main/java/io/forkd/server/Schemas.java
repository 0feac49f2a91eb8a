package io.forkd.server;

import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.listOf;
import static io.forkd.server.Schema.matching;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;
import static io.forkd.server.Schema.whole;

import io.forkd.core.BranchMode;
import io.forkd.core.BranchWay;
import io.forkd.server.Schema.Shape;
import java.util.stream.Stream;

/** The schemas that many operations share, and those of the daemon itself. */
final class Schemas {
  static final Schema TAG = matching("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}");
  static final Schema SANDBOX_ID = matching("sb-[0-9a-f]{8,16}-[0-9]{4}");
  static final Schema PID = whole(1, PathNames.LARGEST_PID);
  static final Schema UNIX_TIME = whole(0);
  static final Schema BYTES = whole(0);
  static final Schema TTL = Schema.decimal(1, Fields.A_YEAR_IN_SECONDS);

  static final Schema BRANCH_MODE = Schema.oneOf(BranchMode.class);

  static final Schema BRANCH_WAY =
      Schema.oneOf(Stream.of(BranchWay.values()).map(Shapes::way).toArray(String[]::new));

  static final Shape ERROR =
      shape("Error").with("error", text(), "What is wrong and what to do about it.");

  static final Shape HEALTH = shape("Health").with("ok", flag());

  static final Shape VERSION = shape("Version").with("version", text()).with("api", text());

  static final Shape BRANCHING =
      shape("Branching")
          .with("best", BRANCH_MODE)
          .with("way", BRANCH_WAY)
          .with("reason", text())
          .with("in_flight", whole(0))
          .with("cap", whole(0));

  static final Shape STATUS =
      shape("Status")
          .with("version", text())
          .with("api", text())
          .with("pid", whole(1))
          .with("uptime_secs", Schema.decimal(0))
          .with("data", text())
          .with("run", text())
          .with("vmm", text())
          .with("branching", BRANCHING)
          .with(
              "counts",
              shape()
                  .with("snapshots", whole(0))
                  .with("sandboxes", whole(0))
                  .with("pools", whole(0)));

  static final Shape STOPPING = shape("Stopping").with("stopping", flag());

  static final Shape POOL =
      shape("Pool")
          .with("tag", TAG)
          .with("warm", whole(0), "Children it is to keep.")
          .with("ready", whole(0), "Children that are parked.")
          .with("filling", whole(0), "Children that are being made.")
          .optional("last_error", text());

  private Schemas() {}

  /** What a segment of a path of that name usually is. */
  static Schema inPath(String name) {
    return switch (name) {
      case "tag" -> TAG;
      case "id" -> SANDBOX_ID;
      case "pid" -> PID;
      case "port" -> whole(1, 65_535);
      default -> text();
    };
  }

  static Schema tags() {
    return listOf(TAG);
  }
}

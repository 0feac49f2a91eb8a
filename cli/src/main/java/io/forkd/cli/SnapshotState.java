package io.forkd.cli;

import io.forkd.client.SnapshotInfo;
import java.time.Duration;
import java.time.Instant;

/** What to say about a snapshot wherever one is listed. */
final class SnapshotState {
  private SnapshotState() {}

  /** Whether there is nothing to say but that it is there. */
  static boolean sound(SnapshotInfo snapshot) {
    return snapshot.status().equals("ready") && snapshot.bootable();
  }

  /** Its status in a word or two, and why it is not ready. */
  static String words(Terminal terminal, SnapshotInfo snapshot) {
    if (sound(snapshot)) {
      return terminal.green("ready");
    }
    String why = snapshot.warning().map(warning -> ": " + warning).orElse("");
    return switch (snapshot.status()) {
      case "ready" -> terminal.red("not restorable here") + why;
      case "failed" -> terminal.red("failed") + why;
      default -> terminal.yellow(snapshot.status()) + why;
    };
  }

  static String age(SnapshotInfo snapshot, Instant now) {
    // One that cannot be read does not tell when it was made.
    return snapshot.createdAt().equals(Instant.EPOCH)
        ? "–"
        : Units.age(Duration.between(snapshot.createdAt(), now));
  }

  /** How long something still has. */
  static String left(Instant expiresAt, Instant now) {
    return expiresAt.isAfter(now)
        ? "in " + Units.age(Duration.between(now, expiresAt))
        : "when nothing needs it";
  }
}

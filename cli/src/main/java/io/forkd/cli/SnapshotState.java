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

  /** Its status in a word or two. */
  static String word(Terminal terminal, SnapshotInfo snapshot) {
    if (sound(snapshot)) {
      return terminal.green("ready");
    }
    return switch (snapshot.status()) {
      case "ready" -> terminal.red("not restorable here");
      case "failed" -> terminal.red("failed");
      default -> terminal.yellow(snapshot.status());
    };
  }

  /** The same, and why it is not ready. */
  static String words(Terminal terminal, SnapshotInfo snapshot) {
    String why = snapshot.warning().map(warning -> ": " + warning).orElse("");
    return word(terminal, snapshot) + (sound(snapshot) ? "" : why);
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

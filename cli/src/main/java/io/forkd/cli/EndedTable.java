package io.forkd.cli;

import io.forkd.client.EndedInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The sandboxes that are no more, and why. */
final class EndedTable {
  private static final int SHOWN_LOG_LINES = 3;

  private EndedTable() {}

  static void print(Terminal terminal, List<EndedInfo> ended, Instant now) {
    Table table = new Table("ID", "SNAPSHOT", ">LIVED", ">ENDED", "REASON", "LABELS");
    for (EndedInfo one : ended) {
      table.row(
          one.id(),
          one.snapshotTag(),
          Units.age(Duration.between(one.createdAt(), one.endedAt())),
          Units.age(Duration.between(one.endedAt(), now)) + " ago",
          reason(terminal, one),
          Labels.text(one.labels()));
    }
    table.print(terminal);
    ended.stream().filter(one -> !one.log().isEmpty()).forEach(one -> printLog(terminal, one));
  }

  private static String reason(Terminal terminal, EndedInfo one) {
    String text = Visible.name(one.text().isEmpty() ? one.kind() : one.text());
    return switch (one.kind()) {
      case "killed", "expired", "idle", "guest_shutdown" -> text;
      default -> terminal.red(text);
    };
  }

  private static void printLog(Terminal terminal, EndedInfo one) {
    terminal.out().println(terminal.faint("%s, its last words:".formatted(one.id())));
    one.log().stream()
        .skip(Math.max(0, one.log().size() - SHOWN_LOG_LINES))
        .forEach(line -> terminal.out().println("  " + Visible.name(line)));
  }
}

package io.forkd.server;

import io.forkd.base.Tag;
import java.util.List;

/** The daemon as a process of its own, with a core in memory that has one snapshot. */
final class FakeDaemonMain {
  private FakeDaemonMain() {}

  public static void main(String[] args) {
    int code =
        DaemonMain.run(
            List.of(args),
            System.getenv(),
            config -> {
              FakeForkd forkd = new FakeForkd();
              Tag tag = Tag.of("base");
              forkd.snapshots.put(tag, new SnapshotDraft("base").done());
              System.out.println("core opened with recipes " + config.recipes());
              return forkd;
            });
    if (code != 0) {
      System.exit(code);
    }
  }
}

package io.forkd.server;

import io.forkd.guest.FileTree;
import io.forkd.guest.FileWatch;
import io.forkd.server.http.Exchange;
import java.io.IOException;
import java.time.Duration;

/** The route that tells what changes in a folder of a sandbox. */
final class WatchRoutes {
  private final View forkd;
  private final OpenStreams streams;
  private final Duration heartbeat;

  WatchRoutes(View forkd, OpenStreams streams, Duration heartbeat) {
    this.forkd = forkd;
    this.streams = streams;
    this.heartbeat = heartbeat;
  }

  void addTo(Router router) {
    router.add(
        FileRoutes.onPath(
                Operation.get(FileRoutes.FILES + "/watch"), "Tell what changes in a folder")
            .query("recursive", Schema.flag(), "true: also in the folders below it")
            .answers(
                200,
                LineStream.answer(
                    "start, then create, write, remove, rename or chmod with the name of what"
                        + " changed")),
        this::watch);
  }

  private void watch(Exchange exchange) throws IOException {
    FileTree files = FileRoutes.tree(forkd, exchange);
    String path = FileRoutes.path(exchange);
    boolean recursive = Queries.flag(exchange, "recursive", false);
    LineStream lines = LineStream.of(exchange, streams, OpenStreams.Kind.WATCH, heartbeat);
    try (FileWatch watch = files.watch(path, recursive)) {
      lines.relay(LineStream.line("start"), watch::next, WatchRoutes::tell);
    }
  }

  private static boolean tell(FileWatch.Change change, LineStream lines) throws IOException {
    lines.send(LineStream.line(Shapes.word(change.kind())).with("name", change.name()));
    return true;
  }
}

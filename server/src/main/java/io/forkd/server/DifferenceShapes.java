package io.forkd.server;

import io.forkd.core.Difference;
import io.forkd.core.Subject;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.util.Optional;
import java.util.OptionalLong;

/** The wire's shapes of what differs between two subjects. */
final class DifferenceShapes {
  private DifferenceShapes() {}

  static JsonObject difference(Subject a, Subject b, Difference difference) {
    return Json.object()
        .with("a", a)
        .with("b", b)
        .with("files", difference.files().stream().map(DifferenceShapes::file).toList())
        .with("pages", pages(difference.pages()))
        .with("processes", processes(difference.processes()));
  }

  private static JsonObject file(Difference.FileChange file) {
    return Json.object()
        .with("path", file.path())
        .with("change", Shapes.word(file.kind()))
        .with("type", file.type())
        .withOptional("size_a", boxed(file.sizeA()))
        .withOptional("size_b", boxed(file.sizeB()))
        .with("what", file.what())
        .with("lines_added", file.linesAdded())
        .with("lines_removed", file.linesRemoved())
        .withOptional("unified", file.unified());
  }

  private static JsonObject pages(Difference.Pages pages) {
    return Json.object()
        .with("total", pages.total())
        .with("compared", pages.compared())
        .with("differing", pages.differing())
        .with("page_bytes", pages.pageBytes());
  }

  private static JsonObject processes(Difference.Processes processes) {
    return Json.object()
        .with("in_a", processes.inA())
        .with("in_b", processes.inB())
        .with("only_a", processes.onlyA())
        .with("only_b", processes.onlyB());
  }

  private static Optional<Long> boxed(OptionalLong value) {
    return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
  }
}

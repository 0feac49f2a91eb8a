package io.forkd.client;

import io.forkd.base.Progress;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads the lines a snapshot's making is told in: steps, heartbeats and one last word. */
final class SnapshotStream implements Consumer<String> {
  private final Progress progress;
  private Optional<JsonObject> last = Optional.empty();

  SnapshotStream(Progress progress) {
    this.progress = progress;
  }

  @Override
  public void accept(String line) {
    JsonObject json = Json.parseObject(line);
    if (json.optionalText("step").isPresent()) {
      progress.begin(json.text("step"), json.text("detail"));
    } else if (json.object("snapshot").isPresent() || json.optionalText("error").isPresent()) {
      last = Optional.of(json);
    }
  }

  SnapshotInfo result() {
    JsonObject json =
        last.orElseThrow(
            () ->
                new ForkdClientException(
                    ForkdClientException.BROKEN,
                    "The daemon stopped in the middle of making the snapshot. Next: `forkd daemon logs`."));
    if (json.optionalText("error").isPresent()) {
      throw new ForkdClientException(json.integer("status"), json.text("error"));
    }
    return SnapshotInfo.from(json.object("snapshot").orElseThrow());
  }
}

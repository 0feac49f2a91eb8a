package io.forkd.server;

import io.forkd.core.Event;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.util.TreeMap;

/** The wire's shape of events. */
final class EventShapes {
  private EventShapes() {}

  static JsonObject event(Event event) {
    return Json.object()
        .with("number", event.number())
        .with("at_unix", event.at().toEpochMilli() / 1000.0)
        .with("type", event.type())
        .with("subject", event.subject())
        .withOptional("owner", event.owner())
        .with("details", new TreeMap<>(event.details()));
  }
}

package io.forkd.client;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What happens in a daemon. */
public final class Events {
  private static final String DATA = "data:";

  private final Requests requests;

  Events(Requests requests) {
    this.requests = requests;
  }

  /** What the daemon still remembers, oldest first. */
  public List<EventInfo> recent() {
    List<EventInfo> events = new ArrayList<>();
    listen("?after=0&follow=false", events::add);
    return events;
  }

  /**
   * Listens until the daemon ends, after hearing what is still remembered.
   *
   * @param after the number of the last event that was heard; 0 for all that is remembered
   * @param listener called on this thread
   */
  public void follow(long after, Consumer<EventInfo> listener) {
    listen("?after=" + after, listener);
  }

  /** The daemon sends an event's data as one line, which says all there is to say. */
  private void listen(String query, Consumer<EventInfo> listener) {
    requests.follow(
        "/v1/events" + query,
        line -> {
          if (line.startsWith(DATA)) {
            listener.accept(EventInfo.from(Json.parseObject(line.substring(DATA.length()))));
          }
        });
  }
}

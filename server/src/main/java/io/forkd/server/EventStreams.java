package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.core.Event;
import io.forkd.core.Events;
import io.forkd.core.Forkd;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Json;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Tells clients what happens, as server-sent events. */
final class EventStreams {
  static final String CONTENT_TYPE = "text/event-stream";
  private static final Schema NUMBER = Schema.whole(0);

  private final Forkd forkd;
  private final Meters meters;
  private final Duration heartbeat;
  private final Set<EventFeed> feeds = ConcurrentHashMap.newKeySet();
  private volatile boolean ended;

  EventStreams(Forkd forkd, Meters meters, Duration heartbeat) {
    this.forkd = forkd;
    this.meters = meters;
    this.heartbeat = heartbeat;
  }

  void addTo(Router router) {
    router.add(
        Operation.get("/v1/events")
            .summary("What happens, as it happens")
            .role(Role.READ_ONLY)
            .header("Last-Event-ID", NUMBER, "Tell first what is remembered after this event")
            .query("after", NUMBER, "The same, for who cannot send that header")
            .query("follow", Schema.flag(), "false: end after what is remembered")
            .answers(
                200,
                new Operation.Answer(
                    CONTENT_TYPE,
                    Optional.empty(),
                    "Server-sent events whose data is an Event as JSON")),
        this::stream);
  }

  /** Ends every stream, now and from now on. */
  void end() {
    ended = true;
    feeds.forEach(EventFeed::end);
  }

  private void stream(Exchange exchange) throws IOException {
    Sight sight = Sight.of(Principal.of(exchange));
    long after = after(exchange);
    boolean follow = Queries.flag(exchange, "follow", true);
    if (follow) {
      Throttle.lasts(exchange);
    }
    EventFeed feed = new EventFeed();
    feeds.add(feed);
    exchange.raw().endWithServer(feed::end);
    try (Events.Subscription _ =
        forkd
            .events()
            .subscribe(
                after,
                event -> {
                  if (sight.covers(event)) {
                    feed.offer(event);
                  }
                })) {
      if (!follow) {
        feed.endAfterThis();
      }
      if (ended) {
        feed.end();
      }
      exchange.beginStream(200, CONTENT_TYPE);
      relay(feed, exchange);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted by the end of the daemon");
    } finally {
      feeds.remove(feed);
    }
  }

  private void relay(EventFeed feed, Exchange exchange) throws IOException, InterruptedException {
    send(exchange, "retry: 2000\n\n");
    while (true) {
      switch (feed.next(heartbeat)) {
        case EventFeed.Next.Happened(Event event) -> send(exchange, text(event));
        case EventFeed.Next.Silence() -> send(exchange, ": nothing happened\n\n");
        case EventFeed.Next.End(boolean overrun) -> {
          if (overrun) {
            meters.slowListeners.increment();
            throw new IOException("The client reads events too slowly");
          }
          exchange.endStream();
          return;
        }
      }
    }
  }

  private static void send(Exchange exchange, String text) throws IOException {
    exchange.stream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(Event event) {
    return "id: %d\nevent: %s\ndata: %s\n\n"
        .formatted(
            event.number(),
            event.type(),
            new String(Json.bytes(EventShapes.event(event)), StandardCharsets.UTF_8));
  }

  /** After which event to begin; without a wish, only what is new is told. */
  private long after(Exchange exchange) {
    Optional<String> wish = exchange.header("Last-Event-ID").or(() -> exchange.query("after"));
    if (wish.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long number = number(wish.get());
    List<Event> recent = forkd.events().recent();
    long newest = recent.isEmpty() ? 0 : recent.getLast().number();
    // A number from the future is one of an earlier daemon's, so all of this one's is new.
    return number > newest ? 0 : number;
  }

  private static long number(String text) {
    if (!text.matches("\\d{1,18}")) {
      throw ForkdException.badRequest("after and Last-Event-ID are the number of an event.");
    }
    return Long.parseLong(text);
  }
}

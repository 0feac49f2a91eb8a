package io.forkd.cli;

import io.forkd.client.EventInfo;
import io.forkd.client.Events;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd events}: tells what happened lately and what happens. */
@Command(name = "events", description = "Tell what happened lately, or what happens.")
final class EventsCommand extends ForkdCommand {
  private static final int MOST_FAILURES = 5;
  private static final int PAUSE_MILLIS = 200;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("MM-dd HH:mm:ss");

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until interrupted, also when the daemon restarts.")
  private boolean follow;

  EventsCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    try (ForkdClient client = daemon()) {
      if (follow) {
        follow(client.events());
      } else {
        client.events().recent().forEach(this::print);
      }
    }
    return ExitCode.OK;
  }

  /** Ends when no daemon comes back, or none that can be understood. */
  private void follow(Events events) {
    AtomicLong last = new AtomicLong();
    AtomicInteger failures = new AtomicInteger();
    while (true) {
      try {
        events.follow(
            last.get(),
            event -> {
              last.set(event.number());
              failures.set(0);
              print(event);
            });
      } catch (ForkdClientException e) {
        boolean cutOff = e.status() == ForkdClientException.BROKEN;
        if (!cutOff || failures.incrementAndGet() > MOST_FAILURES) {
          throw e;
        }
      }
      Pause.millis(PAUSE_MILLIS);
    }
  }

  private void print(EventInfo event) {
    if (json) {
      terminal().json(event.json());
    } else {
      terminal()
          .out()
          .println(
              "%s  %-20s %s%s"
                  .formatted(
                      terminal().faint(TIME.format(event.at().atZone(ZoneId.systemDefault()))),
                      Visible.name(event.type()),
                      Visible.name(event.subject()),
                      details(event.details())));
    }
  }

  private static String details(Map<String, String> details) {
    return new TreeMap<>(details)
        .entrySet().stream()
            .map(detail -> "  " + Visible.name(detail.getKey() + "=" + detail.getValue()))
            .collect(Collectors.joining());
  }
}

package io.forkd.cli;

import io.forkd.client.ForkdClient;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code forkd top}: what the sandboxes use, again and again. */
@Command(name = "top", description = "Show live what each sandbox uses of the host.")
final class TopCommand extends ForkdCommand {
  private static final Duration FIRST = Duration.ofMillis(500);
  private static final int LINES_AROUND = 5;

  @Option(names = "--once", description = "Show it once and end.")
  private boolean once;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How often to look, such as 5s; default 2s.")
  private Duration interval = Duration.ofSeconds(2);

  TopCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    try (ForkdClient client = daemon()) {
      TopSample before = TopSample.take(client);
      // A rate takes two looks; the first comes soon so that there is something to see.
      Pause.millis(FIRST.toMillis());
      while (true) {
        TopSample now = TopSample.take(client);
        show(new TopView(before, now));
        if (once) {
          return ExitCode.OK;
        }
        before = now;
        Pause.millis(interval.toMillis());
      }
    }
  }

  private void show(TopView view) {
    if (json) {
      terminal().json(view.json());
    } else if (once || !terminal().liveOut()) {
      view.print(terminal(), Instant.now(), Integer.MAX_VALUE);
    } else {
      Screen screen = new Screen();
      PrintStream real = terminal().out();
      view.print(
          terminal().printingTo(screen.lines()),
          Instant.now(),
          Math.max(1, Screen.rows() - LINES_AROUND));
      real.print(screen.frame());
      real.flush();
    }
  }
}

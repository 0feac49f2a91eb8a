package io.forkd.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.forkd.base.Progress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows the step at work and how long it takes: redrawn in place on a screen, otherwise as plain
 * lines for those that take over a second. A thread of its own keeps the time moving.
 */
final class Steps implements Progress, AutoCloseable {
  private static final String[] SPINNER = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  private static final int WIDEST = 100;

  private final Terminal terminal;
  private final Thread ticker;
  private final Map<String, Double> secondsByStep = new LinkedHashMap<>();

  @GuardedBy("this")
  private @Nullable String step;

  @GuardedBy("this")
  private String detail = "";

  @GuardedBy("this")
  private long began;

  @GuardedBy("this")
  private long nextPlainLine;

  @GuardedBy("this")
  private int frame;

  @GuardedBy("this")
  private boolean drawn;

  Steps(Terminal terminal) {
    this.terminal = terminal;
    this.ticker = Thread.ofPlatform().daemon().name("steps").start(this::tick);
  }

  @Override
  public synchronized void begin(String name, String sentence) {
    finish();
    step = name;
    detail = sentence;
    began = System.nanoTime();
    nextPlainLine = 1;
  }

  /** How long each step took, for programs. */
  synchronized Map<String, Double> seconds() {
    finish();
    return Collections.unmodifiableMap(new LinkedHashMap<>(secondsByStep));
  }

  @Override
  public void close() {
    ticker.interrupt();
    synchronized (this) {
      finish();
    }
  }

  @GuardedBy("this")
  private void finish() {
    if (step == null) {
      return;
    }
    Duration took = elapsed();
    secondsByStep.merge(step, took.toMillis() / 1000.0, Double::sum);
    clear();
    if (took.toMillis() >= 1000) {
      terminal.err().println("✓ %s (%s)".formatted(detail, Units.seconds(took)));
    }
    step = null;
  }

  @GuardedBy("this")
  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  @GuardedBy("this")
  private void clear() {
    if (drawn) {
      terminal.err().print("\r\u001b[K");
      drawn = false;
    }
  }

  private void tick() {
    try {
      while (true) {
        Thread.sleep(terminal.liveErr() ? 100 : 250);
        synchronized (this) {
          draw();
        }
      }
    } catch (InterruptedException e) {
      return;
    }
  }

  @GuardedBy("this")
  private void draw() {
    if (step == null || elapsed().toMillis() < 300) {
      return;
    }
    if (terminal.liveErr()) {
      String line =
          "%s %s (%d s)"
              .formatted(SPINNER[frame++ % SPINNER.length], detail, elapsed().toSeconds());
      terminal.err().print("\r\u001b[K" + line.substring(0, Math.min(line.length(), WIDEST)));
      terminal.err().flush();
      drawn = true;
    } else if (elapsed().toSeconds() >= nextPlainLine) {
      terminal.err().println("… %s (%d s)".formatted(detail, elapsed().toSeconds()));
      nextPlainLine = nextPlainLine < 10 ? 10 : nextPlainLine + 30;
    }
  }
}

package io.forkd.cli;

import io.forkd.client.ForkdClientException;
import io.forkd.client.ProcessEvent;
import io.forkd.client.TerminalSize;
import io.forkd.client.Tty;
import io.forkd.linux.TerminalMode;
import io.forkd.linux.WindowSize;
import java.io.IOException;
import java.util.Optional;

/**
 * A person's terminal joined with one in a sandbox. Keys have a thread of their own; so has the
 * window's size, which is looked at now and then, because Java does not tell when it changes. The
 * terminal is given back as it was on every way out.
 */
final class TerminalSession {
  private static final int LOOK_MILLIS = 200;
  private static final byte END_OF_INPUT = 4;
  private static final TerminalSize USUAL = new TerminalSize(80, 24);

  /** The key that lets go of a program without ending it: Ctrl-]. */
  static final byte LET_GO = 0x1d;

  private final Terminal terminal;
  private final boolean typing;
  private final Optional<Byte> letGo;
  private volatile boolean leaving;

  /**
   * @param typing whether standard input is passed on
   * @param letGo a key that ends the session and is not passed on
   */
  TerminalSession(Terminal terminal, boolean typing, Optional<Byte> letGo) {
    this.terminal = terminal;
    this.typing = typing;
    this.letGo = letGo;
  }

  /** That of the screen, or what is usual where there is none. */
  static TerminalSize size(Terminal terminal) {
    if (!terminal.typed() && !terminal.liveOut()) {
      return USUAL;
    }
    return WindowSize.of(1)
        .or(() -> WindowSize.of(0))
        .map(size -> new TerminalSize(size.columns(), size.rows()))
        .orElse(USUAL);
  }

  /**
   * Goes on until the program ends, and gives its exit code.
   *
   * @param hangUp done to the program when this command is made to end before
   */
  int run(Tty tty, Runnable hangUp) {
    Optional<TerminalMode> mode =
        typing && terminal.typed() ? TerminalMode.of(0) : Optional.empty();
    Thread hook =
        new Thread(
            () -> {
              mode.ifPresent(TerminalMode::restore);
              hangUpQuietly(hangUp);
              tty.close();
            },
            "terminal-session");
    Runtime.getRuntime().addShutdownHook(hook);
    try (tty) {
      mode.ifPresent(TerminalMode::makeRaw);
      start("keys", typing, () -> passKeys(tty));
      start("window-size", mode.isPresent(), () -> passSizes(tty));
      return passOutput(tty);
    } finally {
      mode.ifPresent(TerminalMode::restore);
      remove(hook);
    }
  }

  private static void start(String name, boolean wanted, Runnable work) {
    if (wanted) {
      Thread.ofPlatform().daemon().name(name).start(work);
    }
  }

  private static void hangUpQuietly(Runnable hangUp) {
    try {
      hangUp.run();
    } catch (ForkdClientException e) {
      // It ended meanwhile, or nobody is there to tell.
      return;
    }
  }

  private int passOutput(Tty tty) {
    while (true) {
      Optional<ProcessEvent> event = tty.next();
      if (event.isEmpty()) {
        return ExitCode.OK;
      }
      if (event.get() instanceof ProcessEvent.Output output) {
        terminal.out().write(output.bytes(), 0, output.bytes().length);
        terminal.out().flush();
      } else if (event.get() instanceof ProcessEvent.End end) {
        return leaving ? ExitCode.OK : end.exitCode();
      }
    }
  }

  private void passKeys(Tty tty) {
    byte[] keys = new byte[4096];
    try {
      for (int count = terminal.in().read(keys); count >= 0; count = terminal.in().read(keys)) {
        int before = letGo.isPresent() ? position(keys, count, letGo.get()) : -1;
        if (before >= 0) {
          tty.type(keys, before);
          leaving = true;
          tty.close();
          return;
        }
        tty.type(keys, count);
      }
      // The end of a script is that of the session, as at any terminal.
      tty.type(new byte[] {END_OF_INPUT}, 1);
    } catch (IOException | ForkdClientException e) {
      // The program ended while somebody typed.
      return;
    }
  }

  private static int position(byte[] keys, int count, byte wanted) {
    for (int i = 0; i < count; i++) {
      if (keys[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private void passSizes(Tty tty) {
    TerminalSize last = size(terminal);
    try {
      while (true) {
        Thread.sleep(LOOK_MILLIS);
        TerminalSize now = size(terminal);
        if (!now.equals(last)) {
          tty.resize(now);
          last = now;
        }
      }
    } catch (InterruptedException | ForkdClientException e) {
      // The program ended.
      return;
    }
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // It is under way.
      return;
    }
  }
}

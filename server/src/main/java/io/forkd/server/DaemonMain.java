package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import io.forkd.core.CoreConfig;
import io.forkd.core.Forkd;
import io.forkd.core.LocalForkd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The daemon's entry point. */
public final class DaemonMain {
  /** More than the HTTP server's own bound, so that the core's close has time too. */
  private static final int LONGEST_STOP_SECONDS = 30;

  private DaemonMain() {}

  public static void main(String[] args) {
    int code = run(List.of(args), System.getenv(), LocalForkd::open);
    if (code != 0) {
      System.exit(code);
    }
  }

  /**
   * Serves until SIGTERM or a request to shut down.
   *
   * @return 0, 1 when the daemon could not start or failed, 2 when it was told something impossible
   */
  static int run(List<String> args, Map<String, String> env, Function<CoreConfig, Forkd> core) {
    if (args.equals(List.of("--help"))) {
      System.out.print(DaemonOption.help());
      return 0;
    }
    CountDownLatch finished = new CountDownLatch(1);
    try {
      Locations locations = Locations.of(env, isRoot());
      Daemon daemon = new Daemon(DaemonOptions.parse(args, env, locations), locations, core);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(daemon, finished), "stop"));
      daemon.run(System.out);
      return 0;
    } catch (ForkdException e) {
      System.err.println("forkd daemon: " + e.getMessage());
      return switch (e.code().blame()) {
        case USER -> 2;
        case INTERNAL, RESOURCES, EXTERNAL -> 1;
      };
    } catch (InterruptedException e) {
      return 1;
    } catch (RuntimeException | Error e) {
      System.err.println("forkd daemon: failed: " + e);
      e.printStackTrace();
      return 1;
    } finally {
      finished.countDown();
    }
  }

  /** Keeps the dying JVM until the daemon's own thread has given everything back. */
  private static void stop(Daemon daemon, CountDownLatch finished) {
    daemon.requestStop();
    try {
      if (!finished.await(LONGEST_STOP_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("forkd daemon: did not stop in %d s".formatted(LONGEST_STOP_SECONDS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      return false;
    }
  }
}

package io.forkd.cli;

import io.forkd.base.Locations;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Runs what commands usually run, so that the JDK can put their classes into an AOT cache: this
 * process trains the command line's, and a daemon of its own, in a folder of its own, the daemon's.
 * What fails here only makes a cache smaller.
 */
public final class Training {
  private static final Duration DAEMON_START = Duration.ofSeconds(60);
  private static final Duration DAEMON_END = Duration.ofSeconds(90);

  private Training() {}

  /**
   * Trains.
   *
   * @param args the file the daemon's cache is to be written to
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("forkd-train");
    Context context =
        new Context(
            System.getenv().entrySet().stream()
                .filter(variable -> !variable.getKey().startsWith("FORKD_"))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue)),
            new Locations(folder.resolve("data"), folder.resolve("run")),
            Path.of(System.getProperty("forkd.home", ".")),
            silent());
    Process daemon = startDaemon(context, args[0]);
    try {
      boolean answers = waitForDaemon(context, daemon);
      runCommands(context, answers);
      if (answers) {
        Cli.run(context, "daemon", "stop");
      }
    } finally {
      if (!daemon.waitFor(DAEMON_END.toSeconds(), TimeUnit.SECONDS)) {
        daemon.destroyForcibly();
      }
      Host.run(List.of("rm", "-rf", "--", folder.toString()));
    }
    Main.main(new String[] {"--version"});
  }

  private static void runCommands(Context context, boolean daemonAnswers) {
    Cli.run(context, "--help");
    Cli.run(context, "fork", "--help");
    Cli.run(context, "no-such-command");
    if (!daemonAnswers) {
      return;
    }
    String nobody = "sb-0123456789-0000";
    for (int i = 0; i < 3; i++) {
      Cli.run(context, "ls");
      Cli.run(context, "ls", "--json");
      Cli.run(context, "images");
      Cli.run(context, "pool", "ls");
      Cli.run(context, "daemon", "status");
      Cli.run(context, "ping", nobody);
      Cli.run(context, "eval", nobody, "--", "1 + 1");
      Cli.run(context, "exec", nobody, "--", "true");
      Cli.run(context, "kill", nobody);
      Cli.run(context, "fork", "--tag", "nobody", "-n", "2");
      Cli.run(context, "rmi", "nobody");
      Cli.run(context, "tree");
      Cli.run(context, "branch", nobody, "--tag", "nobody");
      Cli.run(context, "fork", "--from", nobody, "-n", "2");
      Cli.run(context, "rollback", nobody, "nobody");
      Cli.run(context, "snapshot-info", "nobody");
      Cli.run(context, "diff", "nobody", nobody);
    }
  }

  private static Process startDaemon(Context context, String cache) throws IOException {
    Path log = context.locations().data().resolve("train.log");
    Files.createDirectories(context.locations().data());
    Files.createDirectories(context.locations().run());
    ProcessBuilder builder =
        new ProcessBuilder(
                DaemonStarter.command(context, List.of("-XX:AOTCacheOutput=" + cache), List.of()))
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("FORKD_DATA", context.locations().data().toString());
    builder.environment().put("FORKD_RUN", context.locations().run().toString());
    return builder.start();
  }

  private static boolean waitForDaemon(Context context, Process daemon) {
    long deadline = System.nanoTime() + DAEMON_START.toNanos();
    while (daemon.isAlive() && System.nanoTime() < deadline) {
      if (new DaemonLink(context).running().isPresent()) {
        return true;
      }
      Pause.millis(50);
    }
    return false;
  }

  private static Terminal silent() {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return new Terminal(
        nowhere, nowhere, new ByteArrayInputStream(new byte[0]), false, false, false, false);
  }
}

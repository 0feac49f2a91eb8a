package io.forkd.cli;

import io.forkd.client.ForkdClient;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Starts the private daemon so that it outlives the command, once however many ask at a time. */
final class DaemonStarter {
  static final Duration USUAL = Duration.ofSeconds(90);

  private static final long LARGEST_LOG = 16 << 20;
  private static final int SHOWN_LOG_LINES = 20;

  private final Context context;
  private final DaemonLink link;
  private final Duration ready;
  private final UnaryOperator<List<String>> commandForOptions;

  DaemonStarter(Context context) {
    this(context, USUAL);
  }

  /**
   * @param ready how long the daemon may take until it answers
   */
  DaemonStarter(Context context, Duration ready) {
    this(context, ready, options -> command(context, aotCache(), options));
  }

  /**
   * A starter of something else than the daemon, for tests.
   *
   * @param ready how long it may take until it answers
   * @param commandForOptions the command to run, given the daemon's options
   */
  DaemonStarter(Context context, Duration ready, UnaryOperator<List<String>> commandForOptions) {
    this.context = context;
    this.ready = ready;
    this.link = new DaemonLink(context);
    this.commandForOptions = commandForOptions;
  }

  /**
   * Makes sure that a daemon answers.
   *
   * @param options more of the daemon's options
   * @return whether this call started it
   */
  boolean start(List<String> options, Steps steps) {
    return alone(
        () -> {
          if (answers()) {
            return false;
          }
          launchAndAwait(options, steps);
          return true;
        });
  }

  /**
   * Ends the daemon that runs, if one does, and starts the next; nobody else starts one between.
   */
  void restart(List<String> options, Steps steps) {
    alone(
        () -> {
          DaemonStopper.stop(context, steps);
          launchAndAwait(options, steps);
          return true;
        });
  }

  private void launchAndAwait(List<String> options, Steps steps) throws IOException {
    steps.begin("daemon", "Starting the daemon, log in " + context.locations().log());
    long logStart = prepareLog();
    await(launch(options), logStart);
  }

  private boolean answers() {
    Optional<ForkdClient> running = link.running();
    running.ifPresent(ForkdClient::close);
    return running.isPresent();
  }

  /** What may be done by one process at a time. */
  private interface Work {
    boolean run() throws IOException;
  }

  private boolean alone(Work work) {
    try (FileChannel lockFile = openLock();
        FileLock lock = lock(lockFile, System.nanoTime() + ready.toNanos())) {
      return lock.isValid() && work.run();
    } catch (IOException e) {
      throw new CliException(
          ExitCode.UNREACHABLE,
          "Cannot start the daemon: %s. Next: check that %s and %s can be written, or set FORKD_DATA and FORKD_RUN."
              .formatted(e, context.locations().data(), context.locations().run()),
          e);
    }
  }

  /** The command that runs the daemon on the JVM and class path of this one. */
  static List<String> command(Context context, List<String> jvmOptions, List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xmx512m",
            "--enable-native-access=ALL-UNNAMED"));
    command.add("-Dforkd.home=" + context.home());
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), "io.forkd.server.DaemonMain"));
    command.addAll(List.of("--socket", context.locations().socket().toString()));
    command.addAll(List.of("--recipes", context.recipes().toString()));
    command.addAll(options);
    return command;
  }

  private Process launch(List<String> options) throws IOException {
    List<String> command = new ArrayList<>();
    // A session of its own: the daemon must not die of the terminal's signals.
    command.add("setsid");
    command.addAll(commandForOptions.apply(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("FORKD_DATA", context.locations().data().toString());
    builder.environment().put("FORKD_RUN", context.locations().run().toString());
    builder.directory(new File("/"));
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(context.locations().log().toFile()));
    return builder.start();
  }

  private static List<String> aotCache() {
    String cache = System.getProperty("forkd.daemon.aot", "");
    return cache.isEmpty() || !Files.isReadable(Path.of(cache))
        ? List.of()
        : List.of("-XX:AOTCache=" + cache, "-Xlog:disable");
  }

  private void await(Process daemon, long logStart) {
    long deadline = System.nanoTime() + ready.toNanos();
    while (System.nanoTime() < deadline) {
      if (answers()) {
        return;
      }
      if (!daemon.isAlive()) {
        throw notStarted("ended with exit code " + daemon.exitValue(), logStart);
      }
      Pause.millis(25);
    }
    daemon.destroy();
    throw notStarted("did not answer in " + ready.toSeconds() + " s", logStart);
  }

  private CliException notStarted(String what, long logStart) {
    List<String> lines = LogTail.lines(context.locations().log(), SHOWN_LOG_LINES, logStart);
    return new CliException(
        ExitCode.UNREACHABLE,
        "The daemon %s. The last it said:%n  %s%nNext: mend that and try again, or see %s and `forkd doctor`."
            .formatted(
                what,
                lines.isEmpty() ? "(nothing)" : String.join("\n  ", lines),
                context.locations().log()));
  }

  private FileChannel openLock() throws IOException {
    makePrivate(context.locations().data());
    makePrivate(context.locations().run());
    return FileChannel.open(
        context.locations().run().resolve("start.lock"),
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE);
  }

  private FileLock lock(FileChannel file, long deadline) throws IOException {
    @Nullable FileLock lock = tryLock(file);
    while (lock == null) {
      if (System.nanoTime() > deadline) {
        throw new IOException(
            "another command has been starting the daemon for " + ready.toSeconds() + " s");
      }
      Pause.millis(25);
      lock = tryLock(file);
    }
    return lock;
  }

  private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
    try {
      return file.tryLock();
    } catch (OverlappingFileLockException e) {
      // Held by another thread of this process, which counts like another process.
      return null;
    }
  }

  private static void makePrivate(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
  }

  private long prepareLog() throws IOException {
    Path log = context.locations().log();
    makePrivate(log.resolveSibling(""));
    if (Files.exists(log) && Files.size(log) > LARGEST_LOG) {
      Files.move(log, log.resolveSibling("daemon.log.1"), StandardCopyOption.REPLACE_EXISTING);
    }
    return Files.exists(log) ? Files.size(log) : 0;
  }
}

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
  private static final Duration READY = Duration.ofSeconds(90);
  private static final long LARGEST_LOG = 16 << 20;
  private static final int SHOWN_LOG_LINES = 20;

  private final Context context;
  private final DaemonLink link;
  private final UnaryOperator<List<String>> commandForOptions;

  DaemonStarter(Context context) {
    this(context, options -> command(context, aotCache(), options));
  }

  /**
   * A starter of something else than the daemon, for tests.
   *
   * @param commandForOptions the command to run, given the daemon's options
   */
  DaemonStarter(Context context, UnaryOperator<List<String>> commandForOptions) {
    this.context = context;
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
    try (FileChannel lockFile = openLock();
        FileLock lock = lock(lockFile, System.nanoTime() + READY.toNanos())) {
      Optional<ForkdClient> running = link.running();
      running.ifPresent(ForkdClient::close);
      if (running.isPresent() || !lock.isValid()) {
        return false;
      }
      steps.begin("daemon", "Starting the daemon, log in " + context.locations().log());
      long logStart = prepareLog();
      await(launch(options), logStart);
      return true;
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
    long deadline = System.nanoTime() + READY.toNanos();
    while (System.nanoTime() < deadline) {
      Optional<ForkdClient> running = link.running();
      running.ifPresent(ForkdClient::close);
      if (running.isPresent()) {
        return;
      }
      if (!daemon.isAlive()) {
        throw notStarted("ended with exit code " + daemon.exitValue(), logStart);
      }
      Pause.millis(25);
    }
    daemon.destroy();
    throw notStarted("did not answer in " + READY.toSeconds() + " s", logStart);
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

  private static FileLock lock(FileChannel file, long deadline) throws IOException {
    @Nullable FileLock lock = tryLock(file);
    while (lock == null) {
      if (System.nanoTime() > deadline) {
        throw new IOException(
            "another command has been starting the daemon for " + READY.toSeconds() + " s");
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

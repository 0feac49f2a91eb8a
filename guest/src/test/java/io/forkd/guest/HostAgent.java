package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real agent, built with the address and undefined-behaviour sanitizers, that serves on this
 * machine as an ordinary process.
 *
 * <p>It can change nothing of the machine: outside a guest it refuses IDENTIFY, and with {@link
 * #isolated} it runs in user, UTS and mount namespaces of its own, writes below its own folder, and
 * only pretends to set the clock and to feed the kernel's pool.
 */
final class HostAgent implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Path BINARY = build();

  private final Path folder;
  private final Path layers;
  private final Process process;

  private HostAgent(Path folder, Path layers, Process process) {
    this.folder = folder;
    this.layers = layers;
    this.process = process;
  }

  static HostAgent start() {
    return start(1, List.of());
  }

  static HostAgent start(int connections) {
    return start(connections, List.of());
  }

  static HostAgent isolated(int connections) {
    return start(connections, List.of("unshare", "--map-root-user", "--uts", "--mount"));
  }

  /** One that alone sees two small file systems in memory: 8 MiB on /mnt and 8 MiB on /srv. */
  static HostAgent withSmallDisks(int connections) {
    String mounts =
        "mount -t tmpfs -o size=8m none /mnt && mount -t tmpfs -o size=8m none /srv && exec \"$@\"";
    return start(
        connections,
        List.of("unshare", "--map-root-user", "--uts", "--mount", "sh", "-c", mounts, "sh"));
  }

  /**
   * One with a network of its own, where only two servers listen, which send back what they get: on
   * port 7 of 127.0.0.1 and on port 6 of ::1.
   */
  static HostAgent withOwnNetwork(int connections) {
    return start(
        connections,
        List.of(
            "unshare",
            "--map-root-user",
            "--uts",
            "--mount",
            "--net",
            "python3",
            "src/test/python/own_network.py"));
  }

  /** One that finds programs in these folders alone. */
  static HostAgent withPath(int connections, String path) {
    return start(connections, List.of("env", "PATH=" + path));
  }

  private static HostAgent start(int connections, List<String> wrapper) {
    try {
      Path folder = Files.createTempDirectory(Path.of("/tmp"), "forkd-agent");
      Path run = Files.createDirectory(folder.resolve("run"));
      Files.createDirectories(folder.resolve("root/etc"));
      copyRuntimes(run);
      // Not in /tmp, which may be a file system without extended attributes.
      Path layers = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "layers");
      Files.createDirectory(layers.resolve("upper"));
      Files.createDirectory(layers.resolve("lower"));
      List<String> command = new ArrayList<>(wrapper);
      command.addAll(
          List.of(
              BINARY.toString(),
              "--socket",
              folder.resolve("s").toString(),
              "--connections",
              Integer.toString(connections),
              "--run",
              run.toString()));
      if (!wrapper.isEmpty()) {
        command.addAll(List.of("--pretend-identity", folder.resolve("root").toString()));
        command.addAll(List.of("--upper", layers.resolve("upper").toString()));
        command.addAll(List.of("--lower", layers.resolve("lower").toString()));
      }
      ProcessBuilder builder = new ProcessBuilder(command);
      // The JDK that runs the tests, and the distribution's Python with its packages.
      builder
          .environment()
          .merge(
              "PATH",
              System.getProperty("java.home") + "/bin:/usr/bin:/bin",
              (a, b) -> b + ":" + a);
      builder.redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile());
      HostAgent agent = new HostAgent(folder, layers, builder.start());
      agent.awaitSocket();
      return agent;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copyRuntimes(Path run) throws IOException {
    try (var files = Files.list(Path.of("runtimes"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, run.resolve(file.getFileName()));
      }
    }
  }

  private void awaitSocket() {
    Deadline deadline = Deadline.in(PATIENCE);
    while (!Files.exists(socket())) {
      assertThat(process.isAlive()).as(log()).isTrue();
      assertThat(deadline.passed()).isFalse();
      sleep();
    }
  }

  Path socket() {
    return folder.resolve("s");
  }

  Path root() {
    return folder.resolve("root");
  }

  /** What stands for the layer of an overlay that takes the writes. */
  Path upper() {
    return layers.resolve("upper");
  }

  /** What stands for the image below an overlay. */
  Path lower() {
    return layers.resolve("lower");
  }

  /** What the agent itself takes of memory now. */
  long residentBytes() {
    try {
      String statm = Files.readString(Path.of("/proc", Long.toString(process.pid()), "statm"));
      return Long.parseLong(statm.split(" ", -1)[1]) * 4096;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean hasChildren() {
    return process.children().findAny().isPresent();
  }

  Agent connect() {
    return Agent.open(socket());
  }

  String log() {
    try {
      return Files.readString(folder.resolve("log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Waits for the agent to end by itself and asserts that no sanitizer complained. */
  void assertCleanExit() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(log()).isTrue();
    assertThat(log()).doesNotContain("Sanitizer").doesNotContain("runtime error:");
    assertThat(process.exitValue()).as(log()).isZero();
  }

  /** How much of the machine's memory it takes, in KiB. */
  long residentKib() {
    try (var lines = Files.lines(Path.of("/proc/%d/status".formatted(process.pid())))) {
      String line = lines.filter(it -> it.startsWith("VmRSS:")).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll("\\D", ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it as a VMM's death would: before it can tell of the death of its processes. */
  void kill() {
    List<ProcessHandle> descendants = process.descendants().toList();
    process.destroyForcibly();
    descendants.forEach(ProcessHandle::destroyForcibly);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    kill();
    deleteTree(folder);
    deleteTree(layers);
  }

  private static void deleteTree(Path top) {
    try (var files = Files.walk(top)) {
      files.sorted(Comparator.reverseOrder()).forEach(HostAgent::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void sleep() {
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path build() {
    try {
      Path out = Path.of("target/sanitized-agent").toAbsolutePath();
      ProcessBuilder builder = new ProcessBuilder("agent/build.sh", out.toString());
      builder.environment().put("SANITIZE", "1");
      Process compiler = builder.redirectErrorStream(true).start();
      String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(compiler.waitFor()).as(said).isZero();
      return out.resolve("forkd-agent");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.forkd.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A daemon as a real process with its own data and run folders. */
final class DaemonProcess implements AutoCloseable {
  final Path data;
  final Path run;
  private final Path output;
  private final Process process;

  DaemonProcess(Path folder, String... args) throws IOException {
    data = folder.resolve("data");
    run = folder.resolve("run");
    output = Files.createTempFile(folder, "out", ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(FakeDaemonMain.class.getName());
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("FORKD_DATA", data.toString());
    builder.environment().put("FORKD_RUN", run.toString());
    process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  /** Waits for the ready line and gives it back. */
  String awaitReady() throws Exception {
    while (process.isAlive()) {
      for (String line : output().split("\n")) {
        if (line.matches("forkd .* ready .* in \\d+ ms")) {
          return line;
        }
      }
      Thread.sleep(20);
    }
    throw new AssertionError("The daemon ended before it was ready: " + output());
  }

  int awaitEnd() throws Exception {
    if (!process.waitFor(40, TimeUnit.SECONDS)) {
      throw new AssertionError("The daemon goes on: " + output());
    }
    return process.exitValue();
  }

  long pid() {
    return process.pid();
  }

  Path socket() {
    return run.resolve("forkd.sock");
  }

  Path pidFile() {
    return run.resolve("daemon.pid");
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  Answer call(String method, String path, String body) throws IOException {
    try (Wire wire = Wire.unix(socket())) {
      wire.request(method, path, body);
      return wire.answer();
    }
  }

  /** SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}

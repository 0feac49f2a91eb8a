package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.base.Locations;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Surroundings whose words can be read back and whose folders go when it is closed. */
final class TestContext implements AutoCloseable {
  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();
  // Not JUnit's folder: the path of a socket must be short.
  final Path folder;

  TestContext() throws IOException {
    folder = Files.createTempDirectory(Path.of("/tmp"), "forkd-cli");
    Files.createDirectories(folder.resolve("run"));
  }

  Path socket() {
    return folder.resolve("run/forkd.sock");
  }

  Context with(Map<String, String> env) {
    return new Context(
        env,
        new Locations(folder.resolve("data"), folder.resolve("run")),
        home(),
        new Terminal(
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            new ByteArrayInputStream(new byte[0]),
            false,
            false,
            false,
            false));
  }

  int run(String... args) {
    return Cli.run(with(Map.of()), args);
  }

  String out() {
    return out.toString(UTF_8);
  }

  String err() {
    return err.toString(UTF_8);
  }

  /** The root of the source tree, whatever folder the tests run in. */
  static Path home() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("packaging")) ? here : here.resolve("..").normalize();
  }

  @Override
  public void close() {
    new Leftover.Tree("test", folder).remove();
  }
}

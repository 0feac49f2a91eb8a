package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Small questions to the machine: programs, files in /proc and /sys. */
final class Host {
  private static final int PATIENCE_SECONDS = 30;
  private static final int LARGEST_FILE = 1 << 20;

  /** How a program ended and the start of what it printed. */
  record Output(int exitCode, String text) {
    boolean ok() {
      return exitCode == 0;
    }
  }

  private Host() {}

  /** Runs a program that answers quickly; one that is missing or late has failed. */
  static Output run(List<String> command) {
    Process process;
    Path output;
    try {
      output = Files.createTempFile("forkd", ".out");
    } catch (IOException e) {
      return new Output(-1, e.toString());
    }
    try {
      process =
          new ProcessBuilder(command)
              .redirectInput(new File("/dev/null"))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Output(-1, "no answer in " + PATIENCE_SECONDS + " s");
      }
      return new Output(process.exitValue(), new String(Files.readAllBytes(output), UTF_8));
    } catch (IOException e) {
      return new Output(-1, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Output(-1, "interrupted");
    } finally {
      delete(output);
    }
  }

  /** The content of a small file, without the white space around it. */
  static Optional<String> read(String path) {
    // In one large read: files in /proc/sys end after the first, however short it was.
    try (InputStream in = Files.newInputStream(Path.of(path))) {
      return Optional.of(new String(in.readNBytes(LARGEST_FILE), UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The folder itself, or the nearest above it that exists. */
  static Path existing(Path folder) {
    Path absolute = folder.toAbsolutePath().normalize();
    for (int names = absolute.getNameCount(); names > 0; names--) {
      Path above = Path.of("/").resolve(absolute.subpath(0, names));
      if (Files.isDirectory(above)) {
        return above;
      }
    }
    return Path.of("/");
  }

  static Optional<Path> program(String name) {
    String path = System.getenv("PATH");
    return Stream.concat(
            Stream.of((path == null ? "" : path).split(":")),
            Stream.of("/usr/sbin", "/sbin", "/usr/bin"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The machine as QEMU names it: {@code x86_64} or {@code aarch64}. */
  static String arch() {
    String arch = System.getProperty("os.arch", "");
    return arch.equals("amd64") ? "x86_64" : arch;
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // A stray temporary file is not worth failing for.
      return;
    }
  }
}

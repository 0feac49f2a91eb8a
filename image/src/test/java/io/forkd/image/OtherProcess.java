package io.forkd.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A second JVM with this one's classes, for what two processes do to each other. */
final class OtherProcess {
  private OtherProcess() {}

  static Process start(Class<?> main, String... arguments) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    line.addAll(List.of(arguments));
    return new ProcessBuilder(line).inheritIO().start();
  }

  static void awaitFile(Path file) throws InterruptedException {
    await(() -> Files.exists(file));
  }

  static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited a minute in vain");
      }
      Thread.sleep(20);
    }
  }
}

package io.forkd.core;

import io.forkd.registry.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Looks at what the daemon cannot work without. */
final class ReadinessChecks {
  private final Registry registry;
  private final Path data;
  private final Path run;
  private final DiskBudget disk;

  ReadinessChecks(Registry registry, Path data, Path run, DiskBudget disk) {
    this.registry = registry;
    this.data = data;
    this.run = run;
    this.disk = disk;
  }

  Readiness look() {
    return new Readiness(
        List.of(
            check("registry", "answers", this::askRegistry),
            check("data", "has room: " + data, () -> disk.require(0, "anything at all")),
            check("run", "can be written: " + run, () -> requireWritable(run))));
  }

  private void askRegistry() {
    Optional<String> _ = registry.meta().lastBoot();
  }

  private static void requireWritable(Path folder) throws IOException {
    if (!Files.isWritable(folder)) {
      throw new IOException(folder + " cannot be written");
    }
  }

  private interface Look {
    void run() throws IOException;
  }

  private static Readiness.Check check(String name, String fine, Look look) {
    try {
      look.run();
      return new Readiness.Check(name, true, fine);
    } catch (IOException | RuntimeException e) {
      return new Readiness.Check(name, false, String.valueOf(e.getMessage()));
    }
  }
}

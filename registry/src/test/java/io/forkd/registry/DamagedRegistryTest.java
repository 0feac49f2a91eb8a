package io.forkd.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registry whose file was damaged. */
class DamagedRegistryTest {
  private static final int PAGE = 4096;

  @TempDir Path data;

  private Path file() {
    return data.resolve("registry.db");
  }

  private List<Path> aside() throws IOException {
    try (var files = Files.list(data)) {
      return files
          .filter(file -> file.getFileName().toString().matches("registry\\.db\\.damaged-[0-9]+"))
          .toList();
    }
  }

  private void fill() {
    try (Registry registry = Registry.open(data)) {
      registry.ordinarily(
          () -> {
            for (int i = 0; i < 400; i++) {
              registry
                  .sandboxes()
                  .put(
                      "sb-%04d".formatted(i),
                      "RUNNING",
                      "{\"pad\":\"%s\"}".formatted("x".repeat(500)));
            }
            registry.ends().add("sb-gone", "{}", Instant.now());
            return true;
          });
      registry.workspaces().put("desk", "{}");
    }
  }

  @Test
  void aFileThatIsNoDatabaseIsPutAsideAndANewOneBegun() throws Exception {
    Files.write(
        file(), "this is no database, it is a poem of some length".repeat(100).getBytes(UTF_8));
    try (Registry registry = Registry.open(data)) {
      assertThat(registry.sandboxes().all()).isEmpty();
      registry.sandboxes().put("sb-1", "RUNNING", "{}");
    }
    assertThat(aside())
        .singleElement()
        .satisfies(old -> assertThat(old).content().startsWith("this is no"));
    try (Registry registry = Registry.open(data)) {
      assertThat(registry.sandboxes().all()).hasSize(1);
      assertThat(aside()).hasSize(1);
    }
  }

  @Test
  void whatCanBeReadOfADamagedFileIsTakenOver() throws Exception {
    fill();
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      // A page amid the sandboxes; the tables' roots are in the first few.
      byte[] noise = new byte[PAGE];
      new Random(1).nextBytes(noise);
      channel.write(ByteBuffer.wrap(noise), channel.size() / PAGE / 2 * PAGE);
    }
    try (Registry registry = Registry.open(data)) {
      assertThat(registry.sandboxes().all()).hasSizeBetween(300, 399);
      assertThat(registry.sandboxes().get("sb-0000")).isPresent();
      assertThat(registry.sandboxes().get("sb-0399")).isPresent();
      assertThat(registry.workspaces().get("desk")).isPresent();
      assertThat(registry.ends().get("sb-gone")).isPresent();
      assertThat(registry.check()).isEmpty();
    }
    assertThat(aside()).hasSize(1);
  }

  @Test
  void aFileCutShortIsPutAside() throws Exception {
    fill();
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }
    try (Registry registry = Registry.open(data)) {
      assertThat(registry.check()).isEmpty();
      registry.sandboxes().put("sb-new", "RUNNING", "{}");
    }
    assertThat(aside()).hasSize(1);
  }

  @Test
  void randomDamageNeverKeepsTheRegistryFromOpening() throws Exception {
    Random random = new Random(7);
    for (int round = 0; round < 20; round++) {
      fill();
      try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
        for (int spot = 0; spot < 20; spot++) {
          byte[] noise = new byte[1 + random.nextInt(64)];
          random.nextBytes(noise);
          channel.write(
              ByteBuffer.wrap(noise), random.nextInt((int) channel.size() - noise.length));
        }
      }
      try (Registry registry = Registry.open(data)) {
        registry.sandboxes().put("sb-after", "RUNNING", "{}");
        assertThat(registry.sandboxes().get("sb-after")).as("round %d", round).isPresent();
      }
      deleteAll();
    }
  }

  private void deleteAll() throws IOException {
    try (var files = Files.list(data)) {
      for (Path each : files.toList()) {
        Files.delete(each);
      }
    }
  }
}

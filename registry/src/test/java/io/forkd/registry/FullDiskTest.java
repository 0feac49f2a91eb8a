package io.forkd.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A registry whose disk, a small tmpfs here, has no room left. Needs root, as CI has. */
@Timeout(60)
class FullDiskTest {
  @TempDir Path disk;
  private Path hog;

  @BeforeEach
  void mount() throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=4m", "forkd-test", disk.toString());
    hog = disk.resolve("hog");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", disk.toString());
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
  }

  private void fill() throws IOException {
    try (OutputStream out = Files.newOutputStream(hog)) {
      byte[] chunk = new byte[4096];
      while (true) {
        out.write(chunk);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
  }

  @Test
  void aWriteWithoutRoomFailsClearlyAndWorksAgainOnceThereIsRoom() throws Exception {
    try (Registry registry = Registry.open(disk)) {
      registry.sandboxes().put("sb-before", "RUNNING", "{}");
      fill();
      ForkdException failure = writeUntilFull(registry);
      assertThat(failure.code()).isEqualTo(ErrorCode.FULL);
      assertThat(failure)
          .hasMessageContaining("its disk is full")
          .hasMessageContaining("make room there");
      assertThat(registry.sandboxes().get("sb-before")).isPresent();

      Files.delete(hog);
      registry.sandboxes().put("sb-after", "RUNNING", "{}");
      registry.durably(
          () -> {
            registry.workspaces().put("desk", "{}");
            return true;
          });
      assertThat(registry.check()).isEmpty();
    }
    try (Registry registry = Registry.open(disk)) {
      assertThat(registry.sandboxes().get("sb-before")).isPresent();
      assertThat(registry.sandboxes().get("sb-after")).isPresent();
    }
  }

  @Test
  void aRegistryOpensOnAFullDiskAlsoWithRequestsUnderWay() throws Exception {
    try (Registry registry = Registry.open(disk)) {
      registry.sandboxes().put("sb-before", "RUNNING", "{}");
      registry
          .answers()
          .begin(new Answers.AnswerKey("a", "b"), "c", Instant.EPOCH, Instant.ofEpochSecond(1));
    }
    fill();
    try (Registry registry = Registry.open(disk)) {
      assertThat(registry.sandboxes().get("sb-before")).isPresent();
    }
  }

  private static ForkdException writeUntilFull(Registry registry) {
    return catchThrowableOfType(
        ForkdException.class,
        () -> {
          for (int i = 0; i < 10_000; i++) {
            registry
                .sandboxes()
                .put("sb-" + i, "RUNNING", "{\"pad\":\"%s\"}".formatted("x".repeat(2000)));
          }
        });
  }
}

package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.server.http.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AuditLogTest {
  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("log/a.jsonl");
  }

  private static List<byte[]> lines(String... lines) {
    return Stream.of(lines).map(line -> line.getBytes(StandardCharsets.UTF_8)).toList();
  }

  @Test
  void aLargeFileIsRenamedAndTheOldestGoes() throws IOException {
    try (RotatingFile file = new RotatingFile(file(), 10, 3)) {
      for (int i = 0; i < 6; i++) {
        file.append(lines("line-%d".formatted(i), "more"));
      }
    }
    try (Stream<Path> files = Files.list(file().getParent())) {
      assertThat(files.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("a.jsonl", "a.jsonl.1", "a.jsonl.2");
    }
    assertThat(file()).hasContent("line-5\nmore");
    assertThat(folder.resolve("log/a.jsonl.2")).hasContent("line-3\nmore");
  }

  @Test
  void aFileThatSomebodyMovedIsBegunAnew() throws IOException {
    try (RotatingFile file = new RotatingFile(file(), 1 << 20, 3)) {
      file.append(lines("one"));
      Files.move(file(), folder.resolve("moved"));
      file.append(lines("two"));
      Files.delete(file());
      file.append(lines("three"));
      Files.move(file(), folder.resolve("moved-2"));
      Files.writeString(file(), "somebody's\n");
      file.append(lines("four"));
    }
    assertThat(folder.resolve("moved")).hasContent("one");
    assertThat(folder.resolve("moved-2")).hasContent("three");
    assertThat(file()).hasContent("somebody's\nfour");
  }

  @Test
  void halfALineOfAKilledDaemonSpoilsNoOther() throws IOException {
    Files.createDirectories(file().getParent());
    Files.writeString(file(), "{\"whole\":1}\n{\"hal");
    try (RotatingFile file = new RotatingFile(file(), 1 << 20, 3)) {
      file.append(lines("{\"next\":1}"));
    }
    assertThat(file()).hasContent("{\"whole\":1}\n{\"hal\n{\"next\":1}");
  }

  @Test
  void aFullDiskIsAFailureThatDoesNotLast() {
    try (RotatingFile file = new RotatingFile(Path.of("/dev/full"), 1 << 20, 3)) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> file.append(lines("x")))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("No space left");
      }
    }
  }

  @Test
  void whatCannotBeWrittenIsCountedAndLost() {
    Counter drops = new Counter("drops_total", "Drops.", "reason");
    try (AuditLog log = new AuditLog(new RotatingFile(Path.of("/dev/full"), 1, 3), drops)) {
      for (int i = 0; i < 5; i++) {
        log.write(Json.object().with("i", i), false);
      }
    }
    MetricText text = new MetricText();
    drops.writeTo(text);
    assertThat(MetricSamples.parse(text.toString()).value("drops_total{reason=\"write_failed\"}"))
        .isEqualTo(5);
  }

  @Test
  void writesAllThatWasHandedOverBeforeItIsClosed() throws IOException {
    Counter drops = new Counter("drops_total", "Drops.", "reason");
    try (AuditLog log = new AuditLog(new RotatingFile(file(), 1 << 20, 3), drops)) {
      for (int i = 0; i < 3_000; i++) {
        log.write(Json.object().with("i", i), false);
      }
    }
    assertThat(Files.readAllLines(file())).hasSize(3_000).endsWith("{\"i\":2999}");
  }
}

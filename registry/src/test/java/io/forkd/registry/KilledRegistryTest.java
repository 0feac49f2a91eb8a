package io.forkd.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A registry whose process is killed amid its transactions, again and again. */
@Timeout(120)
class KilledRegistryTest {
  @TempDir Path data;

  @Test
  void everyChangeThatWasAcknowledgedIsThereAfterAKill() throws Exception {
    Random random = new Random(42);
    List<String> said = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      said.addAll(churnAndKill(round, 50 + random.nextInt(1500)));
      try (Registry registry = Registry.open(data)) {
        assertThat(registry.check()).isEmpty();
        said.forEach(line -> assertKept(registry, line));
      }
      assertThat(leftovers()).isEmpty();
    }
  }

  @Test
  void anotherProcessThatHasTheFileOpenIsAClearRefusal() throws Exception {
    Process churn = churn(0);
    try (BufferedReader said = churn.inputReader()) {
      assertThat(said.readLine()).isNotNull();
      assertThatThrownBy(() -> Registry.open(data))
          .isInstanceOf(ForkdException.class)
          .hasMessageContaining("another process has it open");
      assertThat(churn.isAlive()).isTrue();
    } finally {
      churn.destroyForcibly().waitFor();
    }
  }

  private static void assertKept(Registry registry, String line) {
    String[] words = line.split(" ");
    if (words[0].equals("ended")) {
      assertThat(registry.ends().get(words[1])).as(line).isPresent();
      assertThat(registry.sandboxes().get(words[1])).as(line).isEmpty();
    } else {
      assertThat(
              registry.sandboxes().get(words[1]).map(row -> row.state().toLowerCase(Locale.ROOT)))
          .as(line)
          .hasValue(words[0]);
    }
  }

  private List<String> churnAndKill(int round, int lines) throws Exception {
    Process process = churn(round);
    List<String> said = new ArrayList<>();
    try (BufferedReader reader = process.inputReader()) {
      while (said.size() < lines) {
        String line = reader.readLine();
        assertThat(line).as("after %d of %d lines", said.size(), lines).isNotNull();
        if (line.startsWith(Churn.DONE)) {
          said.add(line.substring(Churn.DONE.length()));
        }
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    return said;
  }

  private Process churn(int round) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            Churn.class.getName(),
            data.toString(),
            Integer.toString(round))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private List<Path> leftovers() throws Exception {
    try (var files = Files.list(data)) {
      return files
          .filter(file -> !file.getFileName().toString().matches("registry\\.db(-wal)?"))
          .toList();
    }
  }
}

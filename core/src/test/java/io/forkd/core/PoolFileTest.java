package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoolFileTest {
  @TempDir Path temp;

  private Path path() {
    return temp.resolve("pools.json");
  }

  @Test
  void remembersEveryPool() {
    Map<Tag, Integer> pools = Map.of(Tag.of("a"), 1, Tag.of("python-numpy"), 1000);
    new PoolFile(path()).write(pools);
    assertThat(new PoolFile(path()).read()).isEqualTo(pools);
    new PoolFile(path()).write(Map.of());
    assertThat(new PoolFile(path()).read()).isEmpty();
  }

  @Test
  void leavesNothingButTheFile() {
    new PoolFile(path()).write(Map.of(Tag.of("a"), 1));
    assertThat(temp).isDirectoryContaining(path()::equals);
    assertThat(temp.toFile().list()).hasSize(1);
  }

  @Test
  void withoutAFileThereAreNoPools() {
    assertThat(new PoolFile(path()).read()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "42",
        "[]",
        "[1]",
        "\"a\"",
        "{\"../x\": 3}",
        "{\"a\": null}",
        "{\"a\": {}}",
        "{\"a\": \"x\"}",
        "{\"a\": -1}",
        "{\"a\": 0}",
        "{\"a\": 1001}",
        "{\"a\": 99999999999}",
        "\u0000\u0000"
      })
  void aDamagedFileNeitherStopsTheDaemonNorMakesAPool(String content) throws IOException {
    Files.writeString(path(), content);
    assertThat(new PoolFile(path()).read()).isEmpty();
  }

  @Test
  void oneImpossiblePoolDoesNotTakeTheOthersAway() throws IOException {
    Files.writeString(path(), "{\"a\": -1, \"b\": 3, \"c\": null}");
    assertThat(new PoolFile(path()).read()).isEqualTo(Map.of(Tag.of("b"), 3));
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() {
    PoolFile unwritable = new PoolFile(temp.resolve("missing/pools.json"));
    assertThatThrownBy(() -> unwritable.write(Map.of()))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HOST_FAILED))
        .hasMessageContaining("missing/pools.json");
  }
}

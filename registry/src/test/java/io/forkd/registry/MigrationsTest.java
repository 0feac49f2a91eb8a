package io.forkd.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The way from every earlier schema to the newest. */
class MigrationsTest {
  @TempDir Path data;
  @TempDir Path other;

  static IntStream earlierVersions() {
    return IntStream.range(0, Migrations.NEWEST);
  }

  @BeforeEach
  void load() {
    NativeLibrary.load(data);
  }

  @ParameterizedTest
  @MethodSource("earlierVersions")
  void everyEarlierSchemaLeadsToTheNewestAndKeepsItsRows(int version) {
    Path file = data.resolve("registry.db");
    try (Database old = Opening.connect(file)) {
      Migrations.run(file, old, version);
      assertThat(Migrations.version(old)).isEqualTo(version);
      if (version > 0) {
        new Sandboxes(old).put("sb-1", "RUNNING", "{}");
      }
    }
    try (Registry registry = Registry.open(data)) {
      assertThat(registry.sandboxes().all()).hasSize(version > 0 ? 1 : 0);
      assertThat(registry.check()).isEmpty();
    }
    Registry.open(other).close();
    assertThat(schema(data)).isEqualTo(schema(other)).hasSizeGreaterThan(5);
  }

  @Test
  void theFirstReleasesSchemaIsNeverChanged() {
    // The steps that shipped: a change to one would leave earlier files with another schema.
    Path file = data.resolve("registry.db");
    try (Database first = Opening.connect(file)) {
      Migrations.run(file, first, 1);
      assertThat(
              first.query(
                  row -> row.getString(1), "SELECT name FROM pragma_table_info('sandboxes')"))
          .containsExactly("id", "state", "json", "updated");
    }
  }

  @Test
  void aFileOfALaterForkdIsRefusedAndLeftAlone() throws Exception {
    Registry.open(data).close();
    Path file = data.resolve("registry.db");
    try (Database database = Opening.connect(file)) {
      database.run("PRAGMA user_version=99");
    }
    byte[] before = Files.readAllBytes(file);
    assertThatThrownBy(() -> Registry.open(data))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("schema 99")
        .hasMessageContaining("a later forkd made it");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }

  private static List<String> schema(Path folder) {
    try (Database database = Opening.connect(folder.resolve("registry.db"))) {
      return database.query(
          row -> row.getString(1) + " " + row.getString(2),
          "SELECT name, sql FROM sqlite_schema ORDER BY name");
    }
  }
}

package io.forkd.registry;

import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes over what a damaged registry still tells, row by row and from both ends of a table. */
final class Salvage {
  /** What cannot be made anew. Answers and facts about a file that is no more are not taken. */
  private static final List<String> TABLES = List.of("sandboxes", "ends", "workspaces", "keys");

  private Salvage() {}

  private record Row(String columns, List<@Nullable Object> values) {}

  /** How many rows of each table were saved, for people. */
  static String from(Path damaged, Database fresh) {
    List<String> saved = new ArrayList<>();
    try (Database source = Opening.connect(damaged)) {
      for (String table : TABLES) {
        int before = count(fresh, table);
        fresh.durably(
            () -> {
              copy(source, fresh, table, "");
              copy(source, fresh, table, " ORDER BY rowid DESC");
              return table;
            });
        saved.add("%d %s".formatted(count(fresh, table) - before, table));
      }
    } catch (ForkdException e) {
      Log.REGISTRY.error("{} tells no more: {}", damaged, e.getMessage());
    }
    return saved.isEmpty() ? "nothing" : String.join(", ", saved);
  }

  private static int count(Database database, String table) {
    return database.first(row -> row.getInt(1), "SELECT count(*) FROM " + table).orElse(0);
  }

  private static void copy(Database source, Database fresh, String table, String order) {
    for (Row row : rows(source, table, order)) {
      fresh.update(
          "INSERT OR IGNORE INTO %s (%s) VALUES (%s)"
              .formatted(
                  table,
                  row.columns(),
                  String.join(", ", Collections.nCopies(row.values().size(), "?"))),
          row.values().toArray());
    }
  }

  /** Those before the first that cannot be read. */
  private static List<Row> rows(Database source, String table, String order) {
    List<Row> found = new ArrayList<>();
    try {
      source.query(
          result -> found.add(read(result)), "SELECT * FROM " + table + " NOT INDEXED" + order);
    } catch (ForkdException e) {
      Log.REGISTRY.warn("cannot read all of the damaged table {}: {}", table, e.getMessage());
    }
    return found;
  }

  private static Row read(ResultSet result) throws SQLException {
    ResultSetMetaData shape = result.getMetaData();
    List<String> names = new ArrayList<>();
    List<@Nullable Object> values = new ArrayList<>();
    for (int column = 1; column <= shape.getColumnCount(); column++) {
      names.add(shape.getColumnName(column));
      values.add(result.getObject(column));
    }
    return new Row(String.join(", ", names), values);
  }
}

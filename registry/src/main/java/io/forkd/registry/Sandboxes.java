package io.forkd.registry;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The sandboxes there are, each as the record its keeper wrote. */
public final class Sandboxes {
  private final Database database;

  Sandboxes(Database database) {
    this.database = database;
  }

  /**
   * A sandbox's row.
   *
   * @param state the record's own word for it
   * @param json the record
   */
  public record Row(String id, String state, String json, Instant updated) {}

  /** Writes a sandbox's row, new or changed. */
  public void put(String id, String state, String json) {
    database.update(
        "INSERT INTO sandboxes (id, state, json, updated) VALUES (?, ?, ?, ?)"
            + " ON CONFLICT (id) DO UPDATE SET"
            + " state = excluded.state, json = excluded.json, updated = excluded.updated",
        id,
        state,
        json,
        Instant.now().getEpochSecond());
  }

  public Optional<Row> get(String id) {
    return database.first(
        Sandboxes::row, "SELECT id, state, json, updated FROM sandboxes WHERE id = ?", id);
  }

  /** Removes a row: whether there was one. */
  public boolean remove(String id) {
    return database.update("DELETE FROM sandboxes WHERE id = ?", id) > 0;
  }

  public List<Row> all() {
    return database.query(
        Sandboxes::row, "SELECT id, state, json, updated FROM sandboxes ORDER BY id");
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        Instant.ofEpochSecond(row.getLong(4)));
  }
}

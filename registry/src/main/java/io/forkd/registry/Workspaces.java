package io.forkd.registry;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The workspaces there are. They must survive a loss of power, so every change is durable. */
public final class Workspaces {
  private final Database database;

  Workspaces(Database database) {
    this.database = database;
  }

  /**
   * A workspace's row.
   *
   * @param json what its keeper wrote of it
   */
  public record Row(String name, String json, Instant updated) {}

  /** Writes a workspace's row, new or changed. */
  public void put(String name, String json) {
    database.durably(
        () ->
            database.update(
                "INSERT INTO workspaces (name, json, updated) VALUES (?, ?, ?)"
                    + " ON CONFLICT (name) DO UPDATE SET"
                    + " json = excluded.json, updated = excluded.updated",
                name,
                json,
                Instant.now().getEpochSecond()));
  }

  public Optional<Row> get(String name) {
    return database.first(
        Workspaces::row, "SELECT name, json, updated FROM workspaces WHERE name = ?", name);
  }

  /** Removes a row: whether there was one. */
  public boolean remove(String name) {
    return database.durably(
        () -> database.update("DELETE FROM workspaces WHERE name = ?", name) > 0);
  }

  public List<Row> all() {
    return database.query(
        Workspaces::row, "SELECT name, json, updated FROM workspaces ORDER BY name");
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(row.getString(1), row.getString(2), Instant.ofEpochSecond(row.getLong(3)));
  }
}

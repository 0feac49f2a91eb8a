package io.forkd.registry;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The sandboxes that are no more, the newest of them. */
public final class Ends {
  static final int MOST = 10_000;

  private final Database database;
  private final int most;

  Ends(Database database, int most) {
    this.database = database;
    this.most = most;
  }

  /**
   * An end.
   *
   * @param json what its keeper wrote of it
   */
  public record Row(String id, String json, Instant endedAt) {}

  /** Adds an end and lets go of the oldest when there are too many. */
  public void add(String id, String json, Instant endedAt) {
    database.ordinarily(
        () -> {
          database.update(
              "INSERT OR REPLACE INTO ends (id, json, ended_at) VALUES (?, ?, ?)",
              id,
              json,
              endedAt.getEpochSecond());
          return database.update(
              "DELETE FROM ends WHERE number <= (SELECT max(number) FROM ends) - ?", most);
        });
  }

  public Optional<Row> get(String id) {
    return database.first(Ends::row, "SELECT id, json, ended_at FROM ends WHERE id = ?", id);
  }

  /** The newest first. */
  public List<Row> recent(int limit) {
    return database.query(
        Ends::row, "SELECT id, json, ended_at FROM ends ORDER BY number DESC LIMIT ?", limit);
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(row.getString(1), row.getString(2), Instant.ofEpochSecond(row.getLong(3)));
  }
}

package io.forkd.registry;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The API keys that are valid. They must survive a loss of power, so every change is durable. */
public final class Keys {
  private static final String COLUMNS =
      "id, name, hash, role, owner, created_at, expires_at, last_used_at";

  /** Last uses are kept this exactly, so that not every request writes. */
  static final Duration USE_STEP = Duration.ofMinutes(1);

  private final Database database;

  Keys(Database database) {
    this.database = database;
  }

  public void add(Key key) {
    try {
      database.durably(
          () ->
              database.update(
                  "INSERT INTO keys (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                  key.id(),
                  key.name(),
                  key.hash(),
                  key.role(),
                  key.owner().orElse(null),
                  key.createdAt().getEpochSecond(),
                  key.expiresAt().map(Instant::getEpochSecond).orElse(null),
                  key.lastUsedAt().map(Instant::getEpochSecond).orElse(null)));
    } catch (Database.DuplicateRow e) {
      throw ForkdException.conflict(
          "there is a key named '%s' already: choose another name, or revoke that one first.",
          Printable.shorten(key.name()));
    }
  }

  /** A key that was not revoked; whether it has expired is for the caller to see. */
  public Optional<Key> find(String id) {
    return database.first(Keys::key, "SELECT " + COLUMNS + " FROM keys WHERE id = ?", id);
  }

  /** The oldest first. */
  public List<Key> list() {
    return database.query(Keys::key, "SELECT " + COLUMNS + " FROM keys ORDER BY created_at, name");
  }

  /** Makes a key invalid from now on: whether there was one. */
  public boolean revoke(String id) {
    return database.durably(() -> database.update("DELETE FROM keys WHERE id = ?", id) > 0);
  }

  /** Notes that a key was used, to the minute. */
  public void touch(String id, Instant now) {
    long seconds = now.getEpochSecond();
    database.update(
        "UPDATE keys SET last_used_at = ?"
            + " WHERE id = ? AND (last_used_at IS NULL OR abs(? - last_used_at) >= ?)",
        seconds,
        id,
        seconds,
        USE_STEP.toSeconds());
  }

  private static Key key(ResultSet row) throws SQLException {
    return new Key(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        Optional.ofNullable(row.getString(5)),
        Instant.ofEpochSecond(row.getLong(6)),
        instant(row, 7),
        instant(row, 8));
  }

  private static Optional<Instant> instant(ResultSet row, int column) throws SQLException {
    long seconds = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(Instant.ofEpochSecond(seconds));
  }
}

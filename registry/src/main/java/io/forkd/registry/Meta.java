package io.forkd.registry;

import java.util.Optional;

/** Facts about the registry as a whole. */
public final class Meta {
  private static final String BOOT = "boot_id";

  private final Database database;

  Meta(Database database) {
    this.database = database;
  }

  /** The boot of the host that {@link #noteBoot} noted last. */
  public Optional<String> lastBoot() {
    return get(BOOT);
  }

  /** Notes that all rows are as they should be in this boot of the host. */
  public void noteBoot(String bootId) {
    put(BOOT, bootId);
  }

  public Optional<String> get(String name) {
    return database.first(row -> row.getString(1), "SELECT value FROM meta WHERE name = ?", name);
  }

  public void put(String name, String value) {
    database.update(
        "INSERT INTO meta (name, value) VALUES (?, ?)"
            + " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name,
        value);
  }
}

package io.forkd.registry;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.util.List;

/**
 * The schema, as the steps that lead to it. A step that a release had is never changed: later ones
 * are added at the end.
 */
final class Migrations {
  private static final List<List<String>> STEPS =
      List.of(
          List.of(
              "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
              """
              CREATE TABLE sandboxes (
                id TEXT PRIMARY KEY,
                state TEXT NOT NULL,
                json TEXT NOT NULL,
                updated INTEGER NOT NULL)\
              """,
              """
              CREATE TABLE ends (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                json TEXT NOT NULL,
                ended_at INTEGER NOT NULL)\
              """),
          List.of(
              """
              CREATE TABLE workspaces (
                name TEXT PRIMARY KEY,
                json TEXT NOT NULL,
                updated INTEGER NOT NULL)\
              """),
          List.of(
              """
              CREATE TABLE keys (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                hash TEXT NOT NULL,
                role TEXT NOT NULL,
                owner TEXT,
                created_at INTEGER NOT NULL,
                expires_at INTEGER,
                last_used_at INTEGER)\
              """),
          List.of(
              """
              CREATE TABLE answers (
                principal TEXT NOT NULL,
                name TEXT NOT NULL,
                request TEXT NOT NULL,
                status INTEGER,
                headers TEXT,
                body BLOB,
                expires INTEGER NOT NULL,
                PRIMARY KEY (principal, name))\
              """,
              "CREATE INDEX answers_expire ON answers (expires)"));

  static final int NEWEST = STEPS.size();

  private Migrations() {}

  /** Brings a file to the newest schema, each step whole or not at all. */
  static void run(Path file, Database database) {
    run(file, database, NEWEST);
  }

  static void run(Path file, Database database, int target) {
    int found = version(database);
    if (found > NEWEST) {
      throw new ForkdException(
          ErrorCode.CONFLICT,
          "the registry %s has schema %d and this forkd knows up to %d: a later forkd made it."
                  .formatted(file, found, NEWEST)
              + " Use that one, or put the file aside and begin anew.");
    }
    for (int step = found; step < target; step++) {
      int next = step + 1;
      database.durably(
          () -> {
            STEPS.get(next - 1).forEach(database::run);
            database.run("PRAGMA user_version=" + next);
            return next;
          });
    }
    if (found > 0 && found < target) {
      Log.REGISTRY.info("registry {} went from schema {} to {}", file, found, target);
    }
  }

  static int version(Database database) {
    return database.first(row -> row.getInt(1), "PRAGMA user_version").orElse(0);
  }
}

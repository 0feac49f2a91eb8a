package io.forkd.registry;

import java.util.ArrayList;
import java.util.List;

/** Looks for what must not be in a registry. */
final class Checks {
  private static final String FINE = "ok";

  private Checks() {}

  static List<String> of(Database database) {
    List<String> wrong = new ArrayList<>(structure(database));
    ask(
        database,
        wrong,
        "sandbox %s is alive and has ended",
        "id FROM sandboxes JOIN ends USING (id)");
    for (String table : List.of("sandboxes", "ends")) {
      ask(
          database,
          wrong,
          table + ": the record of %s is not JSON",
          "id FROM " + table + " WHERE NOT json_valid(json)");
    }
    ask(
        database,
        wrong,
        "workspaces: the record of %s is not JSON",
        "name FROM workspaces WHERE NOT json_valid(json)");
    ask(
        database,
        wrong,
        "answer %s is half kept",
        "name FROM answers WHERE (status IS NULL) <> (body IS NULL)");
    return wrong;
  }

  /** What SQLite itself finds. */
  static List<String> structure(Database database) {
    return database.query(row -> row.getString(1), "PRAGMA quick_check(5)").stream()
        .filter(line -> !line.equals(FINE))
        .toList();
  }

  private static void ask(Database database, List<String> wrong, String text, String question) {
    database.query(row -> row.getString(1), "SELECT " + question).stream()
        .map(text::formatted)
        .forEach(wrong::add);
  }
}

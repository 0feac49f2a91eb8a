package io.forkd.registry;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;

/** Opens a registry's file: checked, of the newest schema, and for this process alone. */
final class Opening {
  /** Long enough for a daemon that is just going, too short to look like a hang. */
  private static final int BUSY_MILLIS = 2000;

  /** The log of changes is cut back to this when all of it is in the file. */
  private static final int LONGEST_LOG_BYTES = 4 << 20;

  private Opening() {}

  static Database of(Path file) {
    Optional<Database> sound = attempt(file);
    if (sound.isPresent()) {
      return sound.get();
    }
    Path aside = putAside(file);
    Database fresh =
        attempt(file)
            .orElseThrow(
                () ->
                    new ForkdException(
                        ErrorCode.HOST_FAILED,
                        "a new registry %s is damaged at once: check its disk.".formatted(file)));
    String saved = Salvage.from(aside, fresh);
    Log.REGISTRY.error(
        "the registry {} was damaged and is now {}. A new one was begun with what could be read:"
            + " {}. Sandboxes it does not know are ended; API keys it does not know are invalid.",
        file,
        aside,
        saved);
    return fresh;
  }

  /** Empty when what is in the file makes no sense. */
  private static Optional<Database> attempt(Path file) {
    Database database = connect(file);
    try {
      prepare(database);
      List<String> wrong = Checks.structure(database);
      if (!wrong.isEmpty()) {
        Log.REGISTRY.error("the registry {} is damaged: {}", file, wrong);
        database.close();
        return Optional.empty();
      }
      Migrations.run(file, database);
      return Optional.of(database);
    } catch (ForkdException e) {
      closeQuietly(database);
      if (!Failures.meansDamage(e)) {
        throw e;
      }
      Log.REGISTRY.error("{}", e.getMessage());
      return Optional.empty();
    }
  }

  static Database connect(Path file) {
    createPrivate(file);
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(BUSY_MILLIS);
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + file);
    try {
      return new Database(file, (SQLiteConnection) source.getConnection());
    } catch (SQLException e) {
      throw Failures.of(file, e);
    }
  }

  /** SQLite gives its other files the mode of this one, which holds what no user may read. */
  private static void createPrivate(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException e) {
      // The usual case.
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "cannot make the registry %s: %s. Check that its disk has room and may be written."
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static void prepare(Database database) {
    // Before the first look into the file, so that there is no memory shared with other processes:
    // that would be a file on a disk that may be full.
    database.run("PRAGMA locking_mode=EXCLUSIVE");
    database.run("PRAGMA journal_mode=WAL");
    database.run("PRAGMA journal_size_limit=" + LONGEST_LOG_BYTES);
    database.run("PRAGMA synchronous=NORMAL");
    database.run("PRAGMA temp_store=MEMORY");
  }

  private static Path putAside(Path file) {
    Path aside =
        file.resolveSibling(
            "%s.damaged-%d".formatted(file.getFileName(), Instant.now().getEpochSecond()));
    try {
      for (String part : List.of("-wal", "-journal", "")) {
        Path from = file.resolveSibling(file.getFileName() + part);
        if (Files.exists(from)) {
          Files.move(from, aside.resolveSibling(aside.getFileName() + part));
        }
      }
      Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-shm"));
      return aside;
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "the registry %s is damaged and cannot be moved to %s: %s. Move it by hand."
              .formatted(file, aside, e.getMessage()),
          e);
    }
  }

  private static void closeQuietly(Database database) {
    try {
      database.close();
    } catch (ForkdException e) {
      Log.REGISTRY.debug("closing failed too: {}", e.getMessage());
    }
  }
}

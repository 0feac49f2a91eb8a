package io.forkd.registry;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Set;
import org.sqlite.SQLiteErrorCode;

/** Says what SQLite's failures mean to the operator. */
final class Failures {
  private static final int PRIMARY_CODE = 0xff;
  private static final Set<SQLiteErrorCode> DAMAGED =
      Set.of(SQLiteErrorCode.SQLITE_CORRUPT, SQLiteErrorCode.SQLITE_NOTADB);

  private Failures() {}

  /** Whether what is in the file makes no sense, as opposed to its not being reached. */
  static boolean meansDamage(ForkdException failure) {
    return failure.getCause() instanceof SQLException cause && DAMAGED.contains(kind(cause));
  }

  static boolean meansDuplicate(SQLException failure) {
    return kind(failure) == SQLiteErrorCode.SQLITE_CONSTRAINT;
  }

  static ForkdException of(Path file, SQLException failure) {
    return switch (kind(failure)) {
      case SQLITE_FULL ->
          explained(
              ErrorCode.FULL,
              file,
              "its disk is full. Nothing was changed; make room there and try again",
              failure);
      case SQLITE_BUSY, SQLITE_LOCKED ->
          explained(
              ErrorCode.CONFLICT,
              file,
              "another process has it open. Stop that one first: only one daemon may use a data"
                  + " folder",
              failure);
      case SQLITE_CORRUPT, SQLITE_NOTADB ->
          explained(
              ErrorCode.HOST_FAILED,
              file,
              "it is damaged. Restart the daemon, which puts it aside and saves what can be read",
              failure);
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_IOERR ->
          explained(
              ErrorCode.HOST_FAILED,
              file,
              "the host refuses to read or write it. Check its disk, its mount and its mode",
              failure);
      default -> explained(ErrorCode.INTERNAL, file, "SQLite refused a statement", failure);
    };
  }

  private static ForkdException explained(
      ErrorCode code, Path file, String why, SQLException failure) {
    return new ForkdException(
        code,
        "the registry %s failed: %s (%s).".formatted(file, why, failure.getMessage()),
        failure);
  }

  private static SQLiteErrorCode kind(SQLException failure) {
    return SQLiteErrorCode.getErrorCode(failure.getErrorCode() & PRIMARY_CODE);
  }
}

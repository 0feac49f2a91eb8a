package io.forkd.registry;

import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;

/** One connection to one file, used by one thread at a time, and its transactions. */
final class Database implements AutoCloseable {
  /*
   * All statements run under one lock. A transaction holds it from begin to commit, and a call made
   * within one, by the same thread, joins it. In WAL mode a commit with synchronous=NORMAL survives
   * the death of this process and not that of the host; with FULL it survives both, for one fsync.
   */
  private final ReentrantLock lock = new ReentrantLock();
  private final Path file;
  private final SQLiteConnection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private boolean open = true;
  private boolean inTransaction;
  private boolean durable;

  Database(Path file, SQLiteConnection connection) {
    this.file = file;
    this.connection = connection;
  }

  /** Makes something of the row a result stands at. */
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** All of the work is done or nothing of it; survives a kill of this process. */
  <T extends @Nullable Object> T ordinarily(Supplier<T> work) {
    return transaction(false, work);
  }

  /** All of the work is done or nothing of it; survives a loss of power. */
  <T extends @Nullable Object> T durably(Supplier<T> work) {
    return transaction(true, work);
  }

  private <T extends @Nullable Object> T transaction(boolean toDisk, Supplier<T> work) {
    lock.lock();
    try {
      requireOpen();
      if (inTransaction) {
        if (toDisk && !durable) {
          throw new IllegalStateException("a durable change inside a transaction that is not");
        }
        return work.get();
      }
      return outermost(toDisk, work);
    } finally {
      lock.unlock();
    }
  }

  private <T extends @Nullable Object> T outermost(boolean toDisk, Supplier<T> work) {
    synchronous(toDisk);
    run("BEGIN IMMEDIATE");
    inTransaction = true;
    boolean done = false;
    try {
      T result = work.get();
      run("COMMIT");
      done = true;
      return result;
    } finally {
      inTransaction = false;
      if (!done) {
        rollBack();
      }
    }
  }

  private void synchronous(boolean toDisk) {
    if (durable != toDisk) {
      run("PRAGMA synchronous=" + (toDisk ? "FULL" : "NORMAL"));
      durable = toDisk;
    }
  }

  /** After some failures SQLite has done so itself, and says that there is nothing to undo. */
  private void rollBack() {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK");
    } catch (SQLException e) {
      Log.REGISTRY.debug("nothing to roll back: {}", e.getMessage());
    }
  }

  /** Runs a statement by itself, outside of what {@link #update} prepares. */
  void run(String sql) {
    lock.lock();
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw Failures.of(file, e);
    } finally {
      lock.unlock();
    }
  }

  /** Changes rows: how many. */
  int update(String sql, @Nullable Object... values) {
    return ordinarily(
        () -> {
          try {
            return bound(sql, values).executeUpdate();
          } catch (SQLException e) {
            throw failure(e);
          }
        });
  }

  /** Every row, in the order the statement gives. */
  <T> List<T> query(RowReader<T> reader, String sql, @Nullable Object... values) {
    lock.lock();
    try {
      requireOpen();
      try (ResultSet rows = bound(sql, values).executeQuery()) {
        List<T> found = new ArrayList<>();
        while (rows.next()) {
          found.add(reader.read(rows));
        }
        return found;
      }
    } catch (SQLException e) {
      throw failure(e);
    } finally {
      lock.unlock();
    }
  }

  <T> Optional<T> first(RowReader<T> reader, String sql, @Nullable Object... values) {
    return query(reader, sql, values).stream().findFirst();
  }

  private PreparedStatement bound(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  private RuntimeException failure(SQLException e) {
    return Failures.meansDuplicate(e) ? new DuplicateRow(e) : Failures.of(file, e);
  }

  private void requireOpen() {
    if (!open) {
      throw ForkdException.conflict("the registry %s is closed: the daemon is stopping.", file);
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (open) {
        open = false;
        connection.close();
      }
    } catch (SQLException e) {
      throw Failures.of(file, e);
    } finally {
      lock.unlock();
    }
  }

  /** A row that is to be unique is there already. */
  static final class DuplicateRow extends RuntimeException {
    DuplicateRow(SQLException cause) {
      super(cause);
    }
  }
}

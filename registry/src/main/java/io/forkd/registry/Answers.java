package io.forkd.registry;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Answers to requests that carried an idempotency key, so that the same request sent again gets the
 * answer it had and does nothing twice.
 */
public final class Answers {
  /*
   * A row without a status is a request that somebody works on. That is so only while the process
   * lives that began it, so those of this process are known here, and any other is as good as none.
   */
  private final Set<AnswerKey> underWay = ConcurrentHashMap.newKeySet();

  private final Database database;

  Answers(Database database) {
    this.database = database;
  }

  /**
   * A key somebody sent.
   *
   * @param principal who; others may use the same name for something else
   */
  public record AnswerKey(String principal, String name) {}

  /**
   * An answer as it was given.
   *
   * @param headers as JSON
   */
  public record Answer(int status, String headers, byte[] body) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Answer answer
          && status == answer.status
          && headers.equals(answer.headers)
          && Arrays.equals(body, answer.body);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(body);
    }

    @Override
    public String toString() {
      return "Answer[%d, %s, %d bytes]".formatted(status, headers, body.length);
    }
  }

  /** What is known of a key at the beginning of a request. */
  public sealed interface Begun {
    /** Nothing: the caller does the work and then calls {@link #finish} or {@link #forget}. */
    record Fresh() implements Begun {}

    /** The same request had this answer. */
    record Replay(Answer answer) implements Begun {}

    /** Another request came with the same key. */
    record Conflict() implements Begun {}

    /** The same request is being worked on. */
    record UnderWay() implements Begun {}
  }

  /**
   * Claims a key for a request, unless it was claimed before.
   *
   * @param request a hash of all that makes the request what it is
   * @param expires when the key may be used for something else
   */
  public Begun begin(AnswerKey key, String request, Instant now, Instant expires) {
    return database.ordinarily(
        () -> {
          sweep(now);
          Begun known =
              database
                  .first(
                      row -> known(row, request, underWay.contains(key)),
                      "SELECT request, status, headers, body FROM answers"
                          + " WHERE principal = ? AND name = ?",
                      key.principal(),
                      key.name())
                  .orElseGet(Begun.Fresh::new);
          if (known instanceof Begun.Fresh) {
            database.update(
                "INSERT OR REPLACE INTO answers (principal, name, request, expires)"
                    + " VALUES (?, ?, ?, ?)",
                key.principal(),
                key.name(),
                request,
                expires.getEpochSecond());
            underWay.add(key);
          }
          return known;
        });
  }

  /** Notes the answer to a request that was begun. */
  public void finish(AnswerKey key, Answer answer) {
    database.update(
        "UPDATE answers SET status = ?, headers = ?, body = ? WHERE principal = ? AND name = ?",
        answer.status(),
        answer.headers(),
        answer.body(),
        key.principal(),
        key.name());
    underWay.remove(key);
  }

  /** Frees a key whose request failed and may be tried again. */
  public void forget(AnswerKey key) {
    underWay.remove(key); // first: should the rest fail, the row counts for nothing
    database.update(
        "DELETE FROM answers WHERE principal = ? AND name = ?", key.principal(), key.name());
  }

  /** Forgets what has expired: how many. */
  public int sweep(Instant now) {
    return database.update("DELETE FROM answers WHERE expires <= ?", now.getEpochSecond());
  }

  private static Begun known(ResultSet row, String request, boolean isUnderWay)
      throws SQLException {
    int status = row.getInt(2);
    boolean answered = !row.wasNull();
    if (!answered && !isUnderWay) {
      return new Begun.Fresh();
    }
    if (!row.getString(1).equals(request)) {
      return new Begun.Conflict();
    }
    return answered
        ? new Begun.Replay(new Answer(status, row.getString(3), row.getBytes(4)))
        : new Begun.UnderWay();
  }
}

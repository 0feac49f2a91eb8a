package io.forkd.registry;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * What the daemon must know after it was stopped or killed: one SQLite file in the data folder.
 * Every method may be called from any thread; a change is there for good when its method returns.
 */
public final class Registry implements AutoCloseable {
  private final Database database;
  private final Sandboxes sandboxes;
  private final Ends ends;
  private final Workspaces workspaces;
  private final Keys keys;
  private final Answers answers;
  private final Meta meta;

  Registry(Database database) {
    this.database = database;
    sandboxes = new Sandboxes(database);
    ends = new Ends(database, Ends.MOST);
    workspaces = new Workspaces(database);
    keys = new Keys(database);
    answers = new Answers(database);
    meta = new Meta(database);
  }

  /**
   * Opens the registry of a data folder, new when there is none. A damaged file is put aside and
   * what can be read of it is taken over.
   */
  public static Registry open(Path data) {
    NativeLibrary.load(data);
    return new Registry(Opening.of(data.resolve("registry.db")));
  }

  public Sandboxes sandboxes() {
    return sandboxes;
  }

  public Ends ends() {
    return ends;
  }

  Ends endsBoundedBy(int most) {
    return new Ends(database, most);
  }

  public Workspaces workspaces() {
    return workspaces;
  }

  public Keys keys() {
    return keys;
  }

  public Answers answers() {
    return answers;
  }

  public Meta meta() {
    return meta;
  }

  /**
   * Does several changes as one: all are done or none. They survive a kill of the daemon, and a
   * loss of power perhaps not. Others wait meanwhile, so the work must be short.
   */
  public <T> T ordinarily(Supplier<T> work) {
    return database.ordinarily(work);
  }

  /** The same for what must survive a loss of power. */
  public <T> T durably(Supplier<T> work) {
    return database.durably(work);
  }

  /** What is wrong with the registry; empty when nothing is. */
  public List<String> check() {
    return Checks.of(database);
  }

  @Override
  public void close() {
    database.close();
  }
}

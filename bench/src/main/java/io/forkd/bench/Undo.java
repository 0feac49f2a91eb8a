package io.forkd.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What must be put back when a benchmark ends, newest first, however it ends: by {@link #close()}
 * or by a signal to this process. Any thread may use it.
 */
final class Undo implements AutoCloseable {
  /** Nothing may begin any more, because everything is being taken back. */
  static final class EndingException extends RuntimeException {
    EndingException() {
      super("The benchmark was interrupted; what it had begun is taken back.");
    }
  }

  /** Takes back something that was begun. */
  interface Step {
    void undo() throws Exception;
  }

  /** Takes one step back early, or forgets it when the step is over by itself. */
  final class Mark implements AutoCloseable {
    private final String what;
    private final Step step;

    private Mark(String what, Step step) {
      this.what = what;
      this.step = step;
    }

    /** Takes the step back now. */
    @Override
    public void close() {
      if (forget()) {
        run(this);
      }
    }

    /** The step needs no taking back any more; false when somebody else already does it. */
    boolean forget() {
      synchronized (Undo.this) {
        return marks.remove(this);
      }
    }
  }

  private final Deque<Mark> marks = new ArrayDeque<>();
  private final Consumer<String> complaints;
  private final Thread hook = new Thread(this::undoAll, "bench-undo");
  private boolean ending;

  /**
   * @param complaints is told what could not be put back
   */
  Undo(Consumer<String> complaints) {
    this.complaints = complaints;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Remembers how to take back what is about to begin. Fails when everything is being taken back
   * already, so that nothing new can begin behind the undoer's back.
   */
  synchronized Mark remember(String what, Step step) {
    if (ending) {
      throw new EndingException();
    }
    Mark mark = new Mark(what, step);
    marks.push(mark);
    return mark;
  }

  @Override
  public void close() {
    undoAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the process is ending and the hook runs: it finds nothing left
    }
  }

  private void undoAll() {
    for (Mark mark = pop(); mark != null; mark = pop()) {
      run(mark);
    }
  }

  private synchronized @org.jspecify.annotations.Nullable Mark pop() {
    ending = true;
    return marks.poll();
  }

  private void run(Mark mark) {
    try {
      mark.step.undo();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      complaints.accept("%s was interrupted".formatted(mark.what));
    } catch (Exception e) {
      complaints.accept("%s failed: %s".formatted(mark.what, e.getMessage()));
    }
  }
}

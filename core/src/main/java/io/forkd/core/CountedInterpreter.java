package io.forkd.core;

import io.forkd.guest.CodeContext;
import io.forkd.guest.CodeEvent;
import io.forkd.guest.CodeRequest;
import io.forkd.guest.Execution;
import io.forkd.guest.Interpreter;
import io.forkd.guest.Language;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A sandbox's interpreter, which is in use while code runs in it. */
record CountedInterpreter(Interpreter inner, Activity activity) implements Interpreter {
  @Override
  public List<CodeContext> contexts() {
    return activity.during(inner::contexts);
  }

  @Override
  public CodeContext create(Language language, Optional<String> cwd) {
    return activity.during(() -> inner.create(language, cwd));
  }

  @Override
  public void restart(String context) {
    activity.during(() -> inner.restart(context));
  }

  @Override
  public void delete(String context) {
    activity.during(() -> inner.delete(context));
  }

  @Override
  public void interrupt(String context) {
    activity.during(() -> inner.interrupt(context));
  }

  @Override
  public Execution execute(CodeRequest request) {
    return activity.open(() -> inner.execute(request), Counted::new);
  }

  private record Counted(Execution inner, Activity.Use use) implements Execution {
    @Override
    public Optional<CodeEvent> next(Duration wait) throws InterruptedException {
      return inner.next(wait);
    }

    @Override
    public void interrupt() {
      inner.interrupt();
    }

    @Override
    public void close() {
      use.closeAfter(inner::close);
    }
  }
}

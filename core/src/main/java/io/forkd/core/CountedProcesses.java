package io.forkd.core;

import io.forkd.guest.ProcessEvent;
import io.forkd.guest.ProcessInfo;
import io.forkd.guest.ProcessRef;
import io.forkd.guest.ProcessSpec;
import io.forkd.guest.ProcessStream;
import io.forkd.guest.ProcessTable;
import io.forkd.guest.TerminalSize;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A sandbox's processes; it is in use while somebody listens to one. */
record CountedProcesses(ProcessTable inner, Activity activity) implements ProcessTable {
  @Override
  public ProcessStream start(ProcessSpec spec) {
    return activity.open(() -> inner.start(spec), Counted::new);
  }

  @Override
  public ProcessStream attach(ProcessRef which, boolean replay) {
    return activity.open(() -> inner.attach(which, replay), Counted::new);
  }

  @Override
  public List<ProcessInfo> list() {
    return activity.during(inner::list);
  }

  @Override
  public void signal(ProcessRef which, int signal) {
    activity.during(() -> inner.signal(which, signal));
  }

  @Override
  public void resize(ProcessRef which, TerminalSize size) {
    activity.during(() -> inner.resize(which, size));
  }

  /** Only who listens is counted: who writes is heard by what the process says. */
  @Override
  public OutputStream input(ProcessRef which) {
    return activity.during(() -> inner.input(which));
  }

  @Override
  public void closeInput(ProcessRef which) {
    activity.during(() -> inner.closeInput(which));
  }

  private record Counted(ProcessStream inner, Activity.Use use) implements ProcessStream {
    @Override
    public long pid() {
      return inner.pid();
    }

    @Override
    public Optional<ProcessEvent> next(Duration wait) throws InterruptedException {
      return inner.next(wait);
    }

    @Override
    public void close() {
      use.closeAfter(inner::close);
    }
  }
}

package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The processes of a guest, over the channel to its agent. */
final class AgentProcesses implements ProcessTable {
  /** How long the agent, which does these at once, may take: longer only where it is starved. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int LIST = 1;
  private static final int SIGNAL = 2;
  private static final int RESIZE = 3;
  private static final int CLOSE_INPUT = 4;
  private static final int INPUT = 5;
  private static final int REPLAY = 1;
  private static final int HIGHEST_SIGNAL = 64;
  private static final int MOST_CELLS = 0xffff;
  private static final int LONGEST_TAG = 255;

  private final Connection connection;

  AgentProcesses(Connection connection) {
    this.connection = connection;
  }

  @Override
  public ProcessStream start(ProcessSpec spec) {
    if (spec.args().isEmpty()) {
      throw ForkdException.badRequest("There is no program to start: give at least one argument.");
    }
    spec.terminal().ifPresent(AgentProcesses::check);
    spec.tag().ifPresent(AgentProcesses::check);
    Payload open = new SpecWire(spec).open();
    String what = "start '%s'".formatted(Printable.shorten(spec.args().getFirst()));
    return listen(open, what, true);
  }

  @Override
  public ProcessStream attach(ProcessRef which, boolean replay) {
    Payload open = new Payload().u8(Protocol.KIND_ATTACH);
    put(open, which).u8(replay ? REPLAY : 0);
    return listen(open, "listen to " + say(which), false);
  }

  private ProcessStream listen(Payload open, String what, boolean ours) {
    return ListeningStream.open(connection, open, attempt(what), ours, Deadline.in(PATIENCE));
  }

  @Override
  public List<ProcessInfo> list() {
    Records<ProcessInfo> records = new Records<>(ProcessRecord::read, ProcessRecord::heap);
    Payload open = new Payload().u8(Protocol.KIND_PROCESS_CONTROL).u8(LIST).i32(0).text("");
    order(open, "list the started processes", records);
    return connection.reading(records::whole);
  }

  @Override
  public void signal(ProcessRef which, int signal) {
    if (signal < 1 || signal > HIGHEST_SIGNAL) {
      throw ForkdException.badRequest(
          "%d is no signal: give one from 1 to %d.", signal, HIGHEST_SIGNAL);
    }
    order(about(SIGNAL, which).u8(signal), "send signal %d to %s".formatted(signal, say(which)));
  }

  @Override
  public void resize(ProcessRef which, TerminalSize size) {
    check(size);
    order(
        about(RESIZE, which).u16(size.columns()).u16(size.rows()),
        "resize the terminal of " + say(which));
  }

  @Override
  public OutputStream input(ProcessRef which) {
    String attempt = attempt("write to " + say(which));
    GuestStream stream = connection.open(about(INPUT, which).toByteArray());
    return new ProcessInput(connection, stream, attempt);
  }

  @Override
  public void closeInput(ProcessRef which) {
    order(about(CLOSE_INPUT, which), "close the input of " + say(which));
  }

  private void order(Payload open, String what) {
    order(
        open,
        what,
        data -> {
          throw new NonsenseException("it told something nobody asked for");
        });
  }

  private void order(Payload open, String what, InspectCall.Sink sink) {
    new InspectCall(connection, what, Deadline.in(PATIENCE)).run(open, new byte[0], sink);
  }

  private String attempt(String what) {
    return "Cannot %s in %s".formatted(what, connection.guest());
  }

  private static Payload about(int control, ProcessRef which) {
    return put(new Payload().u8(Protocol.KIND_PROCESS_CONTROL).u8(control), which);
  }

  private static Payload put(Payload payload, ProcessRef which) {
    return switch (which) {
      case ProcessRef.Pid(long pid) -> payload.i32(number(pid)).text("");
      case ProcessRef.Tagged(String tag) -> payload.i32(0).text(check(tag));
    };
  }

  private static int number(long pid) {
    if (pid < 1 || pid > Integer.MAX_VALUE) {
      throw new GuestRefusal(GuestFailure.NOT_FOUND, "%d is no process's number.".formatted(pid));
    }
    return (int) pid;
  }

  private static String say(ProcessRef which) {
    return switch (which) {
      case ProcessRef.Pid(long pid) -> "process " + pid;
      case ProcessRef.Tagged(String tag) -> "process '%s'".formatted(Printable.shorten(tag));
    };
  }

  private static String check(String tag) {
    int length = tag.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > LONGEST_TAG) {
      throw ForkdException.badRequest(
          "A process's tag has 1 to %d bytes, not %d.", LONGEST_TAG, length);
    }
    return tag;
  }

  private static void check(TerminalSize size) {
    if (Math.min(size.columns(), size.rows()) < 1
        || Math.max(size.columns(), size.rows()) > MOST_CELLS) {
      throw new ForkdException(
          ErrorCode.BAD_REQUEST,
          "A terminal has 1 to %d columns and rows, not %d and %d."
              .formatted(MOST_CELLS, size.columns(), size.rows()));
    }
  }
}

package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.guest.ProcessInfo;
import io.forkd.guest.ProcessRef;
import io.forkd.guest.ProcessSpec;
import io.forkd.guest.ProcessStream;
import io.forkd.guest.ProcessTable;
import io.forkd.guest.TerminalSize;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.StopSignal;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/** Routes about the processes in a sandbox. They go on when nobody listens. */
final class ProcessRoutes {
  private static final String ALL = "/v1/sandboxes/{id}/processes";
  private static final String ONE = ALL + "/{pid}";
  private static final Operation.Answer LINES =
      LineStream.answer(
          "start, stdout, stderr or pty as they come, and last exit, signal or error");

  private final View forkd;
  private final OpenStreams streams;
  private final Duration heartbeat;

  ProcessRoutes(View forkd, OpenStreams streams, Duration heartbeat) {
    this.forkd = forkd;
    this.streams = streams;
    this.heartbeat = heartbeat;
  }

  void addTo(Router router) {
    router
        .add(
            operation(Operation.post(ALL), "Start a program in the guest")
                .query("stream", Schema.flag(), "true: tell what it writes and how it ends")
                .body(ProcessSchemas.START)
                .answers(200, LINES)
                .answers(201, ProcessSchemas.PROCESS),
            this::start)
        .add(
            operation(Operation.get(ALL), "List the processes that run or ended lately")
                .answers(200, Schema.listOf(ProcessSchemas.PROCESS)),
            this::list)
        .add(
            operation(Operation.get(ONE), "A process").answers(200, ProcessSchemas.PROCESS),
            this::get)
        .add(
            operation(Operation.delete(ONE), "Kill a process and its group").answers(204),
            this::kill)
        .add(
            operation(Operation.get(ONE + "/output"), "Listen to a process")
                .query("replay", Schema.flag(), "true: first what is kept of its output")
                .answers(200, LINES),
            this::output)
        .add(
            operation(Operation.post(ONE + "/stdin"), "Write to a process's input")
                .rawBody(FileStreams.BYTES)
                .answers(204),
            this::write)
        .add(
            operation(Operation.delete(ONE + "/stdin"), "End a process's input").answers(204),
            this::closeInput)
        .add(
            operation(Operation.post(ONE + "/signal"), "Send a signal to a process's group")
                .body(ProcessSchemas.SIGNAL)
                .answers(204),
            this::signal)
        .add(
            operation(Operation.post(ONE + "/resize"), "Change the size of a process's terminal")
                .body(ProcessSchemas.SIZE)
                .answers(204),
            this::resize);
  }

  private static Operation operation(Operation operation, String summary) {
    return operation.summary(summary).role(Role.USER).fails(409, 502, 504);
  }

  private ProcessTable processes(Exchange exchange) {
    return forkd.inside(exchange).processes();
  }

  private void start(Exchange exchange) throws IOException {
    ProcessTable processes = processes(exchange);
    ProcessSpec spec = ProcessFields.read(BodyReader.read(exchange.body()));
    boolean stream = Queries.flag(exchange, "stream", false);
    if (stream) {
      LineStream lines = lines(exchange);
      try (ProcessStream process = processes.start(spec)) {
        Subjects.note(exchange, process.pid());
        tell(lines, process);
      }
      return;
    }
    long pid;
    try (ProcessStream process = processes.start(spec)) {
      pid = process.pid();
    }
    Subjects.note(exchange, pid);
    exchange.respond(201, ProcessShapes.process(find(processes, pid)));
  }

  private LineStream lines(Exchange exchange) {
    return LineStream.of(exchange, streams, OpenStreams.Kind.PROCESS, heartbeat);
  }

  private static void tell(LineStream lines, ProcessStream process) throws IOException {
    lines.relay(ProcessShapes.start(process.pid()), process::next, new ProcessTeller());
  }

  private void list(Exchange exchange) throws IOException {
    exchange.respond(200, processes(exchange).list().stream().map(ProcessShapes::process).toList());
  }

  private void get(Exchange exchange) throws IOException {
    long pid = PathNames.process(exchange).pid();
    exchange.respond(200, ProcessShapes.process(find(processes(exchange), pid)));
  }

  private static ProcessInfo find(ProcessTable processes, long pid) {
    return processes.list().stream()
        .filter(process -> process.pid() == pid)
        .findFirst()
        .orElseThrow(
            () ->
                ForkdException.notFound(
                    "There is no process %d, or it ended long ago: GET processes lists them.",
                    pid));
  }

  private void output(Exchange exchange) throws IOException {
    ProcessRef which = PathNames.process(exchange);
    boolean replay = Queries.flag(exchange, "replay", false);
    ProcessTable processes = processes(exchange);
    LineStream lines = lines(exchange);
    try (ProcessStream process = processes.attach(which, replay)) {
      tell(lines, process);
    }
  }

  private void write(Exchange exchange) throws IOException {
    ProcessRef which = PathNames.process(exchange);
    ProcessTable processes = processes(exchange);
    // A process that does not read must not hold up the daemon's stop.
    try (StopSignal _ = StopSignal.of(exchange)) {
      SentBody.give(
          exchange,
          body -> {
            try (OutputStream input = processes.input(which)) {
              return body.transferTo(input);
            }
          });
    }
    exchange.respondEmpty(204);
  }

  private void closeInput(Exchange exchange) throws IOException {
    ProcessRef which = PathNames.process(exchange);
    processes(exchange).closeInput(which);
    exchange.respondEmpty(204);
  }

  private void kill(Exchange exchange) throws IOException {
    ProcessRef which = PathNames.process(exchange);
    processes(exchange).signal(which, Signals.KILL);
    exchange.respondEmpty(204);
  }

  private void signal(Exchange exchange) throws IOException {
    ProcessRef which = PathNames.process(exchange);
    ProcessTable processes = processes(exchange);
    int signal = Signals.read(BodyReader.read(exchange.body()), "signal");
    processes.signal(which, signal);
    Subjects.note(exchange, Signals.name(signal));
    exchange.respondEmpty(204);
  }

  private void resize(Exchange exchange) throws IOException {
    ProcessRef which = PathNames.process(exchange);
    TerminalSize size = ProcessFields.size(BodyReader.read(exchange.body()));
    processes(exchange).resize(which, size);
    exchange.respondEmpty(204);
  }
}

package io.forkd.server;

import io.forkd.guest.ProcessRef;
import io.forkd.guest.ProcessSpec;
import io.forkd.guest.ProcessStream;
import io.forkd.guest.ProcessTable;
import io.forkd.guest.TerminalSize;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.WebSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Routes that are WebSockets to a terminal in a sandbox. */
final class TtyRoutes {
  private static final long COLUMNS = 80;
  private static final long ROWS = 24;

  /** The shell with which people expect to be greeted, where the image has it. */
  private static final String LOGIN_SHELL =
      "if [ -x /bin/bash ]; then exec /bin/bash -l; else exec /bin/sh -l; fi";

  private static final String FRAMES =
      "A WebSocket: binary frames are the terminal's bytes, text frames are JSON";

  private final View forkd;
  private final OpenStreams streams;
  private final Duration heartbeat;

  TtyRoutes(View forkd, OpenStreams streams, Duration heartbeat) {
    this.forkd = forkd;
    this.streams = streams;
    this.heartbeat = heartbeat;
  }

  void addTo(Router router) {
    Schema side = Schema.whole(1, ProcessSchemas.LARGEST_SIDE);
    router
        .add(
            operation("/v1/sandboxes/{id}/tty", "Start a shell in a terminal and talk to it")
                .changesSomething()
                .query("cmd", Schema.text(), "What /bin/sh -c is to run; a login shell unless told")
                .query("cols", side, "80 unless told")
                .query("rows", side, "24 unless told")
                .query("user", Schema.text(), "root unless told")
                .query("cwd", Schema.text(), "The user's home unless told")
                .query("term", Schema.text(), "TERM; xterm-256color unless told"),
            this::start)
        .add(
            operation("/v1/sandboxes/{id}/processes/{pid}/tty", "Talk to a process that runs")
                .changesSomething()
                .query("replay", Schema.flag(), "false: without what is kept of its output"),
            this::attach);
  }

  private static Operation operation(String template, String summary) {
    return Operation.get(template)
        .summary(summary)
        .role(Role.USER)
        .answers(101, new Operation.Answer("", Optional.empty(), FRAMES))
        .fails(409, 426, 502, 504);
  }

  private void start(Exchange exchange) throws IOException {
    ProcessTable processes = forkd.inside(exchange).processes();
    WebSocket.require(exchange);
    String command = Queries.text(exchange, "cmd").orElse(LOGIN_SHELL);
    ProcessSpec spec =
        new ProcessSpec(
            ProcessFields.shell(command),
            Map.of("TERM", Queries.text(exchange, "term").orElse("xterm-256color")),
            Queries.text(exchange, "cwd"),
            Queries.text(exchange, "user"),
            true,
            Optional.of(
                new TerminalSize(side(exchange, "cols", COLUMNS), side(exchange, "rows", ROWS))),
            Optional.empty(),
            Optional.empty());
    ProcessStream process = processes.start(spec);
    Subjects.note(exchange, List.of(process.pid()));
    serve(exchange, processes, process, true);
  }

  private static int side(Exchange exchange, String name, long unlessSaid) {
    return Queries.whole(exchange, name, 1, ProcessSchemas.LARGEST_SIDE)
        .orElse(unlessSaid)
        .intValue();
  }

  private void attach(Exchange exchange) throws IOException {
    ProcessRef which = PathNames.process(exchange);
    ProcessTable processes = forkd.inside(exchange).processes();
    WebSocket.require(exchange);
    boolean replay = Queries.flag(exchange, "replay", true);
    serve(exchange, processes, processes.attach(which, replay), false);
  }

  private void serve(
      Exchange exchange, ProcessTable processes, ProcessStream process, boolean started)
      throws IOException {
    TtySession session = new TtySession(processes, process, started, streams, heartbeat);
    try {
      WebSocket.open(exchange, session);
    } catch (IOException | RuntimeException e) {
      session.abandon();
      throw e;
    }
  }
}

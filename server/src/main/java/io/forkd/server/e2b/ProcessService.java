package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.guest.GuestFailure;
import io.forkd.guest.GuestRefusal;
import io.forkd.guest.ProcessInfo;
import io.forkd.guest.ProcessRef;
import io.forkd.guest.ProcessSpec;
import io.forkd.guest.ProcessStream;
import io.forkd.guest.ProcessTable;
import io.forkd.guest.TerminalSize;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** E2B's process.Process. */
final class ProcessService {
  private static final String ROOT = "/process.Process/";
  private static final int MOST_CELLS = 65_535;

  /** How long input may wait for a process that does not read, when the client says nothing. */
  private static final Duration INPUT_PATIENCE = Duration.ofSeconds(60);

  private ProcessService() {}

  static void addTo(Rpc rpc) {
    rpc.streaming(ROOT + "Start", ProcessService::start)
        .streaming(ROOT + "Connect", ProcessService::connect)
        .unary(ROOT + "List", (call, _) -> list(call))
        .unary(ROOT + "SendInput", ProcessService::sendInput)
        .unary(ROOT + "CloseStdin", ProcessService::closeStdin)
        .unary(ROOT + "SendSignal", ProcessService::sendSignal)
        .unary(ROOT + "Update", ProcessService::update)
        .taking(ROOT + "StreamInput", ProcessService::streamInput);
  }

  private static void start(Rpc.Call call, Body request, Frames.Sink out) throws IOException {
    ProcessSpec spec = spec(call, request);
    try (ProcessStream stream = started(call, spec)) {
      new ProcessEvents(call, out).pass(stream);
    }
  }

  /** What cannot be started is the request's fault, also when it names what is not there. */
  private static ProcessStream started(Rpc.Call call, ProcessSpec spec) {
    try {
      return processes(call).start(spec);
    } catch (GuestRefusal e) {
      if (e.why() == GuestFailure.NOT_FOUND) {
        throw new RpcFailure(RpcCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }

  private static ProcessSpec spec(Rpc.Call call, Body request) {
    Body process = required(request, "process");
    List<String> args = new ArrayList<>();
    args.add(process.requiredText("cmd"));
    args.addAll(process.texts("args"));
    Optional<TerminalSize> terminal = request.object("pty").map(ProcessService::size);
    return new ProcessSpec(
        args,
        process.pairs("envs"),
        process.text("cwd").filter(cwd -> !cwd.isEmpty()),
        call.session().actor(),
        terminal.isPresent() || request.flag("stdin").orElse(true),
        terminal,
        request.text("tag").filter(tag -> !tag.isEmpty()),
        call.number("Connect-Timeout-Ms").map(Duration::ofMillis));
  }

  private static void connect(Rpc.Call call, Body request, Frames.Sink out) throws IOException {
    try (ProcessStream stream = processes(call).attach(which(request), false)) {
      new ProcessEvents(call, out).pass(stream);
    }
  }

  private static JsonObject list(Rpc.Call call) {
    return Json.object()
        .with(
            "processes",
            processes(call).list().stream()
                .filter(process -> process.end().isEmpty())
                .map(ProcessService::shape)
                .toList());
  }

  private static JsonObject shape(ProcessInfo process) {
    List<String> args = process.args();
    return Json.object()
        .with(
            "config",
            Json.object()
                .with("cmd", args.isEmpty() ? "" : args.getFirst())
                .with("args", args.isEmpty() ? args : args.subList(1, args.size()))
                .with("envs", process.env())
                .with("cwd", process.cwd()))
        .with("pid", process.pid())
        .withOptional("tag", process.tag());
  }

  private static JsonObject sendInput(Rpc.Call call, Body request) throws IOException {
    byte[] bytes = input(required(request, "input"));
    try (OutputStream input = processes(call).input(which(request))) {
      write(call, input, bytes);
    }
    return Json.object();
  }

  private static byte[] input(Body input) {
    String kind =
        input
            .which("stdin", "pty")
            .orElseThrow(
                () -> ForkdException.badRequest("input has neither stdin nor pty: send one."));
    return input.bytes(kind).orElse(new byte[0]);
  }

  /** A process that does not read must not keep a request, and its thread, for ever. */
  private static void write(Rpc.Call call, OutputStream input, byte[] bytes) throws IOException {
    Duration patience =
        call.number("Connect-Timeout-Ms").map(Duration::ofMillis).orElse(INPUT_PATIENCE);
    try (Deadline deadline = Deadline.closing(input, patience)) {
      try {
        input.write(bytes);
        input.flush();
      } catch (IOException e) {
        throw deadline.isOver()
            ? new RpcFailure(
                RpcCode.DEADLINE_EXCEEDED,
                "The process did not read its input within %d ms.".formatted(patience.toMillis()))
            : new RpcFailure(RpcCode.FAILED_PRECONDITION, String.valueOf(e.getMessage()));
      }
    }
  }

  private static JsonObject streamInput(Rpc.Call call, InputStream messages) throws IOException {
    Body first =
        Frames.read(messages)
            .flatMap(message -> message.object("start"))
            .orElseThrow(
                () -> ForkdException.badRequest("The stream does not begin with a start."));
    try (OutputStream input = processes(call).input(which(first))) {
      for (Optional<Body> next = Frames.read(messages);
          next.isPresent();
          next = Frames.read(messages)) {
        Optional<Body> data = next.get().object("data");
        if (data.isPresent()) {
          write(call, input, input(required(data.get(), "input")));
        }
      }
    }
    return Json.object();
  }

  private static JsonObject closeStdin(Rpc.Call call, Body request) {
    processes(call).closeInput(which(request));
    return Json.object();
  }

  private static JsonObject sendSignal(Rpc.Call call, Body request) {
    processes(call).signal(which(request), signal(request));
    return Json.object();
  }

  private static int signal(Body request) {
    Object sent = request.fields().get("signal");
    return switch (String.valueOf(sent)) {
      case "SIGNAL_SIGKILL", "9" -> 9;
      case "SIGNAL_SIGTERM", "15" -> 15;
      default ->
          throw ForkdException.badRequest("signal must be SIGNAL_SIGKILL or SIGNAL_SIGTERM.");
    };
  }

  private static JsonObject update(Rpc.Call call, Body request) {
    Optional<Body> terminal = request.object("pty");
    if (terminal.isPresent()) {
      processes(call).resize(which(request), size(terminal.get()));
    }
    return Json.object();
  }

  private static TerminalSize size(Body terminal) {
    Body size = required(terminal, "size");
    return new TerminalSize(
        size.number("cols", 1, MOST_CELLS).orElse(80),
        size.number("rows", 1, MOST_CELLS).orElse(24));
  }

  private static ProcessRef which(Body request) {
    Body process = required(request, "process");
    Optional<String> tag = process.text("tag");
    if (tag.isPresent()) {
      return new ProcessRef.Tagged(tag.get());
    }
    long pid =
        process
            .number("pid")
            .filter(number -> number > 0 && number <= Integer.MAX_VALUE)
            .orElseThrow(
                () -> ForkdException.badRequest("process has neither a pid nor a tag: send one."));
    return new ProcessRef.Pid(pid);
  }

  private static Body required(Body body, String name) {
    return body.object(name)
        .orElseThrow(() -> ForkdException.badRequest("%s is missing: expected an object.", name));
  }

  private static ProcessTable processes(Rpc.Call call) {
    return call.session().inside().processes();
  }
}

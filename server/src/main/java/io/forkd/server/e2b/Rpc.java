package io.forkd.server.e2b;

import io.forkd.base.Printable;
import io.forkd.guest.FileTree;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.JsonObject;
import io.forkd.server.http.StopSignal;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Connect protocol in JSON: calls with one answer, and calls that are streams. */
final class Rpc {
  private static final Logger log = LoggerFactory.getLogger(Rpc.class);

  private final E2bHost host;
  private final Map<String, Method> methods = new HashMap<>();

  Rpc(E2bHost host) {
    this.host = host;
  }

  /** A request as methods see it. */
  record Call(Session session, Exchange exchange) {
    FileTree files() {
      return session.files();
    }

    /** A number in a header, such as a time limit; empty when there is none. */
    Optional<Long> number(String header) {
      return exchange
          .header(header)
          .filter(text -> text.matches("[0-9]{1,10}"))
          .map(Long::parseLong)
          .filter(number -> number > 0);
    }
  }

  /** One method of a service. */
  sealed interface Method {
    /** Answers once. */
    non-sealed interface Unary extends Method {
      JsonObject answer(Call call, Body request) throws IOException;
    }

    /** Answers until it is done. */
    non-sealed interface Streaming extends Method {
      void answer(Call call, Body request, Frames.Sink out) throws IOException;
    }

    /** Takes messages until the client is done, and answers once. */
    non-sealed interface Taking extends Method {
      JsonObject answer(Call call, InputStream messages) throws IOException;
    }
  }

  Rpc unary(String path, Method.Unary method) {
    methods.put(path, method);
    return this;
  }

  Rpc streaming(String path, Method.Streaming method) {
    methods.put(path, method);
    return this;
  }

  Rpc taking(String path, Method.Taking method) {
    methods.put(path, method);
    return this;
  }

  void handle(Call call) throws IOException {
    Exchange exchange = call.exchange();
    Method method = methods.get(exchange.rawPath());
    boolean streamed = method instanceof Method.Streaming || method instanceof Method.Taking;
    try {
      if (method == null) {
        throw new RpcFailure(
            RpcCode.UNIMPLEMENTED,
            "There is no %s here.".formatted(Printable.shorten(exchange.rawPath())));
      }
      refuseOtherForms(exchange);
      if (streamed) {
        host.lasts(exchange);
      }
      run(call, method);
    } catch (RuntimeException e) {
      fail(exchange, streamed, e);
    }
  }

  private static void refuseOtherForms(Exchange exchange) {
    if (!exchange.method().equals("POST")) {
      throw new HttpProblem(405, "Calls are sent with POST.", Map.of("Allow", "POST"));
    }
    if (exchange.header("Content-Type").orElse("").contains("proto")) {
      throw new HttpProblem(415, "Only JSON is spoken here: use application/json.");
    }
  }

  private static void run(Call call, Method method) throws IOException {
    Exchange exchange = call.exchange();
    switch (method) {
      case Method.Unary unary ->
          exchange.respond(200, unary.answer(call, Body.read(exchange.body())));
      case Method.Streaming streaming -> {
        Body request =
            Frames.read(exchange.raw().body())
                .orElseThrow(
                    () ->
                        new RpcFailure(
                            RpcCode.INVALID_ARGUMENT, "The request's stream has no message."));
        try (StopSignal _ = StopSignal.of(exchange)) {
          streaming.answer(call, request, new Frames.Sink(exchange));
        }
        end(exchange);
      }
      case Method.Taking taking -> {
        exchange
            .raw()
            .endWithSender(() -> exchange.raw().giveUpBody(new IOException("its key was revoked")));
        new Frames.Sink(exchange).send(taking.answer(call, exchange.raw().body()));
        end(exchange);
      }
    }
  }

  private static void end(Exchange exchange) throws IOException {
    exchange.stream(Frames.end());
    exchange.endStream();
  }

  /** Failures of streams come at their end; clients read no other body of one. */
  private static void fail(Exchange exchange, boolean streamed, RuntimeException e)
      throws IOException {
    if (e instanceof HttpProblem problem && problem.status() != 413) {
      throw problem;
    }
    RpcCode code = RpcCode.of(e);
    String message = String.valueOf(e.getMessage());
    if (code == RpcCode.INTERNAL) {
      log.error("{} failed", Printable.shorten(exchange.toString()), e);
      message = "The daemon failed; its log says why.";
    } else {
      log.debug("{} was refused: {}", Printable.shorten(exchange.toString()), message);
    }
    if (!streamed) {
      exchange.respond(code.status(), Frames.error(code, message));
      return;
    }
    if (!exchange.committed()) {
      exchange.beginStream(200, Frames.STREAM_TYPE);
    }
    exchange.stream(Frames.end(code, message));
    exchange.endStream();
  }
}

package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.FakeDaemon;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A daemon that gives each route its own answer, and surroundings to run commands in. */
final class FakeRoutes implements AutoCloseable {
  private record Answer(int status, String body) {}

  final TestContext test = new TestContext();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final FakeDaemon daemon = FakeDaemon.startOn(test.socket(), this::answer);

  FakeRoutes() throws IOException {
    on("GET /healthz", 200, "{\"ok\":true}");
  }

  FakeRoutes on(String route, int status, String body) {
    answers.put(route, new Answer(status, body));
    return this;
  }

  /** Answers everything but health by other means. */
  void handler(FakeDaemon.Handler next) {
    daemon.handler(
        (request, out) ->
            request.path().equals("/healthz") ? answer(request, out) : next.answer(request, out));
  }

  void tunnel(FakeDaemon.Tunnel next) {
    daemon.tunnel(next);
  }

  /** Method and path of what was asked for, health apart. */
  List<String> asked() {
    return daemon.requests().stream()
        .map(request -> request.method() + " " + request.path())
        .filter(line -> !line.endsWith("/healthz"))
        .toList();
  }

  /** The body of the last request to a route. */
  String body(String route) {
    return daemon.requests().reversed().stream()
        .filter(request -> route.equals(request.method() + " " + request.path()))
        .findFirst()
        .map(FakeDaemon.Request::body)
        .orElse("never asked");
  }

  int run(String... args) {
    test.out.reset();
    test.err.reset();
    return test.run(args);
  }

  String out() {
    return test.out();
  }

  String err() {
    return test.err();
  }

  private boolean answer(FakeDaemon.Request request, OutputStream out) throws IOException {
    String route = request.method() + " " + request.path();
    Answer answer =
        answers.getOrDefault(
            route, new Answer(500, "{\"error\":\"no answer for %s\"}".formatted(route)));
    out.write(FakeDaemon.reply(answer.status, "", answer.body).getBytes(UTF_8));
    return true;
  }

  @Override
  public void close() {
    daemon.close();
    test.close();
  }
}

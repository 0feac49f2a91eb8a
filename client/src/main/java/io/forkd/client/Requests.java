package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** Calls with JSON both ways, in which every answer that is no success is an exception. */
final class Requests implements AutoCloseable {
  private static final Duration READ_LIMIT = Duration.ofSeconds(30);
  private static final Duration HEARTBEAT_LIMIT = Duration.ofMinutes(2);

  private final Transport transport;
  private final boolean keyed;

  /**
   * @param keyed whether creating requests carry a key, so that they can be sent again
   */
  Requests(Transport transport, boolean keyed) {
    this.transport = transport;
    this.keyed = keyed;
  }

  /** A name as one part of a path. */
  static String segment(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw new ForkdClientException(400, "'%s' is no name.".formatted(name));
    }
    return URLEncoder.encode(name, UTF_8).replace("+", "%20");
  }

  /** Whether a daemon answers within the time given. */
  boolean healthy(Duration within) {
    try {
      return transport
              .send(
                  new Call("GET", "/healthz", Optional.empty(), Optional.empty(), false, within),
                  line -> {})
              .status()
          == 200;
    } catch (ForkdClientException e) {
      return false;
    }
  }

  JsonObject get(String path) {
    return Json.parseObject(call("GET", path, Optional.empty(), READ_LIMIT).text());
  }

  List<JsonObject> list(String path) {
    return JsonObject.listOf(Json.parse(call("GET", path, Optional.empty(), READ_LIMIT).text()));
  }

  JsonObject post(String path, JsonObject body, Duration timeout) {
    return Json.parseObject(call("POST", path, Optional.of(body), timeout).text());
  }

  Reply call(String method, String path, Optional<JsonObject> body, Duration timeout) {
    return checked(
        new Call(method, path, body.map(Requests::bytes), Optional.empty(), false, timeout),
        line -> {});
  }

  /** A request that makes something, and must not make it twice. */
  Reply create(String path, JsonObject body, Duration timeout) {
    return checked(
        new Call("POST", path, Optional.of(bytes(body)), nextKey(), false, timeout), line -> {});
  }

  /**
   * Makes something and asks for an answer in lines; a body only comes back from a daemon that sent
   * none.
   */
  Reply streamed(String path, JsonObject body, Consumer<String> lines) {
    return checked(
        new Call("POST", path, Optional.of(bytes(body)), nextKey(), true, HEARTBEAT_LIMIT), lines);
  }

  /** Listens to a stream of events until the daemon ends it. */
  void follow(String path, Consumer<String> lines) {
    Call call = new Call("GET", path, Optional.empty(), Optional.empty(), true, HEARTBEAT_LIMIT);
    checked(call, lines);
  }

  /** Unlikely to be anybody else's; nothing depends on it being hard to guess. */
  private Optional<String> nextKey() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return keyed
        ? Optional.of(
            "%x-%016x%016x"
                .formatted(ProcessHandle.current().pid(), random.nextLong(), random.nextLong()))
        : Optional.empty();
  }

  private Reply checked(Call call, Consumer<String> lines) {
    Reply reply = transport.send(call, lines);
    if (reply.status() / 100 != 2) {
      throw new ForkdClientException(reply.status(), errorText(reply));
    }
    return reply;
  }

  private static byte[] bytes(JsonObject body) {
    return body.toString().getBytes(UTF_8);
  }

  /** The reason in an answer that is no success. */
  static String errorText(Reply reply) {
    try {
      return Json.parseObject(reply.text())
          .optionalText("error")
          .orElse("The daemon answered with status " + reply.status() + ".");
    } catch (ForkdClientException e) {
      return "The daemon answered with status %d and no reason.".formatted(reply.status());
    }
  }

  @Override
  public void close() {
    transport.close();
  }
}

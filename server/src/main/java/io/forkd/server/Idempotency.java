package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.registry.Answers;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpHandler;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets clients send a creating request again without creating twice: the header {@code
 * Idempotency-Key} names the request, and the first answer under a name is the answer to all.
 *
 * <p>A request whose daemon died before it answered is forgotten when the next one starts, and done
 * again when it is sent again.
 */
final class Idempotency {
  private static final Logger log = LoggerFactory.getLogger(Idempotency.class);
  static final String KEY = "Idempotency-Key";
  static final String REPLAYED = "Idempotency-Replayed";
  static final Duration REMEMBERED = Duration.ofHours(24);
  static final int LONGEST_ANSWER = 8 << 20;

  private static final Pattern FORM = Pattern.compile("[ -~]{1,128}");
  private static final List<String> KEPT_HEADERS = List.of(FailureHeader.NAME, Warnings.HEADER);

  private static final Answers.Answer TOO_LONG =
      new Answers.Answer(
          409,
          "{}",
          Json.bytes(
              Json.error(
                  "This request was done, but its answer was too long to keep: list what there is"
                      + " instead.")));

  /** Refusals that say nothing about the request itself, so that trying again may help. */
  private static final Set<Integer> PASSING = Set.of(401, 403, 408, 413, 429);

  private final AnswerBook book;
  private final Clock clock;

  Idempotency(AnswerBook book, Clock clock) {
    this.book = book;
    this.clock = clock;
  }

  /** The same operation, documented to take a key. */
  static Operation keyed(Operation operation) {
    return operation
        .header(
            KEY,
            Schema.matching(FORM.pattern()),
            "A name for this request; sent again with it, the request gets the first answer again")
        .fails(409);
  }

  /** The same handler, answering a request that it has answered before from memory. */
  HttpHandler around(HttpHandler handler) {
    return exchange -> {
      List<String> keys = exchange.headers(KEY);
      if (keys.isEmpty()) {
        handler.handle(exchange);
      } else {
        handle(exchange, handler, checked(keys));
      }
    };
  }

  private static String checked(List<String> keys) {
    if (keys.size() > 1 || !FORM.matcher(keys.getFirst()).matches()) {
      throw ForkdException.badRequest(
          "%s must be sent once, with 1 to 128 printable ASCII characters.", KEY);
    }
    return keys.getFirst();
  }

  private void handle(Exchange exchange, HttpHandler handler, String word) throws IOException {
    Principal principal = Principal.of(exchange);
    String sender = principal.name() + "\0" + principal.owner().orElse("");
    Answers.AnswerKey key = new Answers.AnswerKey(sender, word);
    String request = hash(exchange.method(), exchange.rawPath(), exchange.body());
    Instant now = clock.instant();
    switch (book.begin(key, request, now, now.plus(REMEMBERED))) {
      case Answers.Begun.Fresh _ -> first(exchange, handler, new Claim(key));
      case Answers.Begun.Replay(Answers.Answer answer) -> replay(exchange, answer);
      case Answers.Begun.UnderWay _ ->
          throw new HttpProblem(
              409,
              "A request with this %s is still under way: ask again when it is done."
                  .formatted(KEY),
              Map.of("Retry-After", "1"));
      case Answers.Begun.Conflict _ ->
          throw ForkdException.conflict(
              "This %s was used for another request: use a new one for each.", KEY);
    }
  }

  private static void replay(Exchange exchange, Answers.Answer answer) throws IOException {
    BodyReader.read(answer.headers().getBytes(StandardCharsets.UTF_8))
        .pairs("headers")
        .orElse(Map.of())
        .forEach(exchange::setHeader);
    exchange.setHeader(REPLAYED, "true");
    exchange.respond(answer.status(), Exchange.JSON_TYPE, answer.body());
  }

  private void first(Exchange exchange, HttpHandler handler, Claim claim) throws IOException {
    exchange.note(Claim.class, claim);
    exchange.witness(Optional.of((status, body) -> claim.keep(status, headers(exchange), body)));
    try {
      handler.handle(exchange);
    } catch (ForkdException e) {
      claim.keepRefusal(e.code().httpStatus(), String.valueOf(e.getMessage()));
      throw e;
    } catch (HttpProblem e) {
      claim.keepRefusal(e.status(), String.valueOf(e.getMessage()));
      throw e;
    } finally {
      exchange.witness(Optional.empty());
      if (!claim.handedOver) {
        claim.end();
      }
    }
  }

  private static Map<String, String> headers(Exchange exchange) {
    Map<String, String> headers = new HashMap<>();
    KEPT_HEADERS.forEach(
        name -> exchange.answerHeader(name).ifPresent(value -> headers.put(name, value)));
    return headers;
  }

  private static String hash(Object... parts) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
    for (Object part : parts) {
      byte[] bytes =
          part instanceof byte[] raw ? raw : part.toString().getBytes(StandardCharsets.UTF_8);
      // With their lengths, so that parts cannot be cut differently and hash the same.
      digest.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
      digest.update(bytes);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The right to answer under a key, for the first request that has it. Used by one thread. */
  final class Claim {
    private final Answers.AnswerKey key;
    private boolean handedOver;
    private boolean kept;

    private Claim(Answers.AnswerKey key) {
      this.key = key;
    }

    /** For work that outlives its request: whoever does it ends the claim. */
    void handOver() {
      handedOver = true;
    }

    /** Lets the request be done again, unless its answer was kept. */
    void end() {
      if (!kept) {
        attempt(() -> book.forget(key));
      }
    }

    void keepRefusal(int status, String message) {
      keep(status, Map.of(), Json.bytes(Json.error(message)));
    }

    void keep(int status, Map<String, String> headers, byte[] body) {
      boolean isFinal = status / 100 == 2 || (status / 100 == 4 && !PASSING.contains(status));
      if (isFinal) {
        String shown = Json.ascii(Json.object().with("headers", headers));
        Answers.Answer answer =
            body.length > LONGEST_ANSWER ? TOO_LONG : new Answers.Answer(status, shown, body);
        kept = attempt(() -> book.finish(key, answer));
      }
    }
  }

  /** What was asked for is done: better told once than not at all because notes cannot be made. */
  private static boolean attempt(Runnable note) {
    try {
      note.run();
      return true;
    } catch (ForkdException e) {
      log.warn("Cannot note what became of an {}: {}", KEY, e.getMessage(), e);
      return false;
    }
  }
}

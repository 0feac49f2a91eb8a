package io.forkd.server;

import io.forkd.base.ForkdException;
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
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets clients send a creating request again without creating twice: the header {@code
 * Idempotency-Key} names the request, and the first answer under a name is the answer to all.
 *
 * <p>Which requests are under way is known in memory only. One whose daemon died before it answered
 * is thus done again, which is what its client wants: what it had made is not known to anybody.
 */
final class Idempotency {
  private static final Logger log = LoggerFactory.getLogger(Idempotency.class);
  static final String KEY = "Idempotency-Key";
  static final String REPLAYED = "Idempotency-Replayed";
  static final Duration REMEMBERED = Duration.ofHours(24);
  static final int LONGEST_ANSWER = 8 << 20;

  private static final Pattern FORM = Pattern.compile("[ -~]{1,128}");
  private static final List<String> KEPT_HEADERS = List.of(FailureHeader.NAME, Warnings.HEADER);

  /** Refusals that say nothing about the request itself, so that trying again may help. */
  private static final Set<Integer> PASSING = Set.of(401, 403, 408, 413, 429);

  private final AnswerBook book;
  private final Clock clock;
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();

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
    String key = hash(sender, word);
    String request = hash(sender, exchange.method(), exchange.rawPath(), exchange.body());
    if (!underWay.add(key)) {
      throw ForkdException.conflict(
          "A request with this %s is still under way: ask again when it is done.", KEY);
    }
    Claim claim = new Claim(key, request);
    try {
      Optional<AnswerBook.Kept> kept = book.find(key, clock.instant());
      if (kept.isPresent()) {
        replay(exchange, kept.get(), request);
      } else {
        first(exchange, handler, claim);
      }
    } finally {
      if (!claim.handedOver) {
        underWay.remove(key);
      }
    }
  }

  private static void replay(Exchange exchange, AnswerBook.Kept kept, String request)
      throws IOException {
    if (!kept.request().equals(request)) {
      throw ForkdException.conflict(
          "This %s was used for another request: use a new one for each.", KEY);
    }
    kept.headers().forEach(exchange::setHeader);
    exchange.setHeader(REPLAYED, "true");
    exchange.respond(kept.status(), kept.contentType(), kept.body());
  }

  private void first(Exchange exchange, HttpHandler handler, Claim claim) throws IOException {
    exchange.note(Claim.class, claim);
    exchange.witness(
        Optional.of((status, type, body) -> claim.keep(status, type, headers(exchange), body)));
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

  /** The right to answer under a key, for the first request that has it. */
  final class Claim {
    private final String key;
    private final String request;
    private boolean handedOver;

    private Claim(String key, String request) {
      this.key = key;
      this.request = request;
    }

    /** For work that outlives its request: whoever does it ends the claim. */
    void handOver() {
      handedOver = true;
    }

    void end() {
      underWay.remove(key);
    }

    void keepRefusal(int status, String message) {
      keep(status, Exchange.JSON_TYPE, Map.of(), Json.bytes(Json.error(message)));
    }

    void keep(int status, String contentType, Map<String, String> headers, byte[] body) {
      boolean isFinal = status / 100 == 2 || (status / 100 == 4 && !PASSING.contains(status));
      if (!isFinal) {
        return;
      }
      AnswerBook.Kept kept =
          body.length > LONGEST_ANSWER
              ? tooLong()
              : new AnswerBook.Kept(request, status, contentType, headers, body);
      try {
        book.keep(key, kept, clock.instant().plus(REMEMBERED));
      } catch (ForkdException e) {
        // What was asked for is done: better told once than not at all.
        log.warn("Cannot keep an answer for its {}: {}", KEY, e.getMessage(), e);
      }
    }

    private AnswerBook.Kept tooLong() {
      byte[] body =
          Json.bytes(
              Json.error(
                  "This request was done, but its answer was too long to keep: list what there is"
                      + " instead."));
      return new AnswerBook.Kept(request, 409, Exchange.JSON_TYPE, Map.of(), body);
    }
  }
}

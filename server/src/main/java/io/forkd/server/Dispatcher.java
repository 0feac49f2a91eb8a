package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpHandler;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The front door: guards it, passes requests on, and turns every failure into an answer. */
final class Dispatcher implements HttpHandler {
  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

  private final AccessGuard guard;
  private final Router router;

  Dispatcher(AccessGuard guard, Router router) {
    this.guard = guard;
    this.router = router;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    long start = System.nanoTime();
    try {
      Optional<Router.Match> match = router.find(exchange);
      guard.check(exchange, match.map(Router.Match::operation));
      match.orElseThrow(() -> router.refusal(exchange)).run(exchange);
    } catch (HttpProblem e) {
      fail(exchange, e.status(), String.valueOf(e.getMessage()), e.headers());
    } catch (IOException e) {
      log.debug("The client of {} went away: {}", Printable.shorten(exchange.toString()), e);
      throw e;
    } catch (RuntimeException | Error e) {
      Failure failure = Failure.of(e, exchange.toString());
      fail(exchange, failure.status(), failure.message(), failure.headers());
    } finally {
      log.debug(
          "{} {} in {} ms",
          Printable.shorten(exchange.toString()),
          exchange.status(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }
  }

  private static void fail(
      Exchange exchange, int status, String message, Map<String, String> headers)
      throws IOException {
    if (exchange.committed()) {
      throw new IOException("The answer had begun when this failed: " + message);
    }
    exchange.reset();
    headers.forEach(exchange::setHeader);
    exchange.respond(status, Json.error(message));
  }

  /**
   * What a caller is told of a failure.
   *
   * @param message for defects, no more than a reference to the log
   */
  record Failure(int status, String message) {
    /** A budget that is used up may be free again soon. */
    Map<String, String> headers() {
      return status == ErrorCode.FULL.httpStatus() ? Map.of("Retry-After", "1") : Map.of();
    }

    static Failure of(Throwable e, String during) {
      if (e instanceof ForkdException known && known.code() != ErrorCode.INTERNAL) {
        if (known.code().httpStatus() >= 500) {
          log.warn("{} failed: {}", Printable.shorten(during), known.getMessage(), known);
        }
        return new Failure(known.code().httpStatus(), String.valueOf(known.getMessage()));
      }
      String reference = Reference.next();
      log.error("{} failed, reference {}", Printable.shorten(during), reference, e);
      return new Failure(
          500, "The daemon failed; reference %s in its log says why.".formatted(reference));
    }
  }
}

package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.guest.GuestFailure;
import io.forkd.guest.GuestRefusal;
import io.forkd.server.http.ErrorShape;
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
import org.slf4j.MDC;

/** The front door: guards it, passes requests on, and turns every failure into an answer. */
final class Dispatcher implements HttpHandler {
  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

  private final AccessGuard guard;
  private final Router router;
  private final Finder first;
  private final Watch watch;

  /** Finds what a request is for. */
  @FunctionalInterface
  interface Finder {
    Optional<Router.Match> find(Exchange exchange);
  }

  /**
   * @param first asked before the router
   */
  Dispatcher(AccessGuard guard, Router router, Finder first, Watch watch) {
    this.guard = guard;
    this.router = router;
    this.first = first;
    this.watch = watch;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    long start = System.nanoTime();
    RequestId id = RequestId.of(exchange);
    exchange.note(RequestId.class, id);
    exchange.setHeader(RequestId.HEADER, id.value());
    Optional<Router.Match> match = first.find(exchange).or(() -> router.find(exchange));
    try (MDC.MDCCloseable _ = MDC.putCloseable(RequestId.LOG_KEY, id.value())) {
      try {
        answer(exchange, match);
      } finally {
        watch.answered(exchange, match, start);
        log.debug(
            "{} {} in {} ms",
            Printable.shorten(exchange.toString()),
            exchange.status(),
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      }
    }
  }

  private void answer(Exchange exchange, Optional<Router.Match> match) throws IOException {
    try (Throttle.Pass pass = admit(exchange, match)) {
      exchange.note(Throttle.Pass.class, pass);
      match.orElseThrow(() -> router.refusal(exchange)).run(exchange);
    } catch (HttpProblem e) {
      exchange.note(Mishap.class, Mishap.of(e));
      fail(exchange, e.status(), String.valueOf(e.getMessage()), e.headers());
    } catch (IOException e) {
      exchange.note(Mishap.class, Mishap.CLIENT_GONE);
      log.debug("The client of {} went away: {}", Printable.shorten(exchange.toString()), e);
      throw e;
    } catch (RuntimeException | Error e) {
      exchange.note(Mishap.class, Mishap.of(e));
      Failure failure = Failure.of(e, exchange.toString());
      fail(exchange, failure.status(), failure.message(), failure.headers());
    }
  }

  private Throttle.Pass admit(Exchange exchange, Optional<Router.Match> match) {
    if (match.filter(E2bDoor::isInside).isPresent()) {
      AccessGuard.refuseManyHeaders(exchange);
      return Throttle.FREE_PASS;
    }
    return guard.check(exchange, match.map(Router.Match::operation));
  }

  private static void fail(
      Exchange exchange, int status, String message, Map<String, String> headers)
      throws IOException {
    if (exchange.committed()) {
      throw new IOException("The answer had begun when this failed: " + message);
    }
    exchange.reset();
    exchange
        .noted(RequestId.class)
        .ifPresent(id -> exchange.setHeader(RequestId.HEADER, id.value()));
    headers.forEach(exchange::setHeader);
    exchange.respond(
        status,
        exchange
            .noted(ErrorShape.class)
            .map(shape -> shape.of(status, message))
            .orElseGet(() -> Json.error(message)));
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
        tell(known, Printable.shorten(during));
        return new Failure(status(known), String.valueOf(known.getMessage()));
      }
      String reference = Reference.next();
      log.error("{} failed, reference {}", Printable.shorten(during), reference, e);
      return new Failure(
          500, "The daemon failed; reference %s in its log says why.".formatted(reference));
    }

    /** A guest's full disk is no budget of the daemon's: waiting does not help. */
    private static int status(ForkdException e) {
      return e instanceof GuestRefusal refusal && refusal.why() == GuestFailure.NO_SPACE
          ? 507
          : e.code().httpStatus();
    }

    /** What only means that the caller should try again is no reason to alarm anybody. */
    private static void tell(ForkdException e, String during) {
      switch (e.code()) {
        case FULL, TIMEOUT -> log.info("{} was not done: {}", during, e.getMessage());
        case GUEST_FAILED, HOST_FAILED -> log.warn("{} failed: {}", during, e.getMessage(), e);
        case BAD_REQUEST, UNAUTHORIZED, NOT_FOUND, CONFLICT, TOO_LARGE, INTERNAL ->
            log.debug("{} was refused: {}", during, e.getMessage());
      }
    }
  }
}

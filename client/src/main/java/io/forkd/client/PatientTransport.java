package io.forkd.client;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A transport that outlasts a restart of the daemon: what was surely not done, or may be done again
 * without harm, is sent again for a while.
 */
final class PatientTransport implements Transport {
  private static final int PAUSE_MILLIS = 50;

  private final Transport next;
  private final Duration patience;

  PatientTransport(Transport next, Duration patience) {
    this.next = next;
    this.patience = patience;
  }

  @Override
  public Reply send(Call call, Consumer<String> lines) {
    Optional<Deadline> deadline = Optional.empty();
    while (true) {
      try {
        Reply reply = next.send(call, lines);
        if (!unheard(reply, deadline.isPresent()) || over(deadline)) {
          return reply;
        }
      } catch (ForkdClientException e) {
        if (!repeatable(call, e) || over(deadline)) {
          throw e;
        }
      }
      // Patience begins with the first failure: the work before it may have taken long.
      deadline = deadline.or(() -> Optional.of(new Deadline(patience(call), false)));
      pause(call);
    }
  }

  private Duration patience(Call call) {
    return patience.compareTo(call.timeout()) < 0 ? patience : call.timeout();
  }

  private static boolean over(Optional<Deadline> deadline) {
    return deadline.filter(Deadline::passed).isPresent();
  }

  /** Whether a daemon refused only because it stops, or because it still works on the first try. */
  private static boolean unheard(Reply reply, boolean again) {
    boolean stopping = reply.status() == 503 && reply.header("Forkd-Stopping").isPresent();
    boolean underWay = reply.status() == 409 && reply.header("Retry-After").isPresent();
    return stopping || (again && underWay);
  }

  private static boolean repeatable(Call call, ForkdClientException e) {
    if (e.status() == ForkdClientException.UNREACHABLE) {
      return true;
    }
    boolean cutOff =
        e.status() == ForkdClientException.BROKEN
            && e.getCause() instanceof IOException
            && !(e.getCause() instanceof SocketTimeoutException)
            && !(e.getCause() instanceof HttpTimeoutException);
    // Of a stream a part was heard already, so whoever listens must say where to go on.
    boolean harmless = call.method().equals("GET") && !call.streamed();
    return cutOff && (harmless || call.key().isPresent());
  }

  private static void pause(Call call) {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdClientException(
          ForkdClientException.BROKEN, "%s was interrupted.".formatted(call), e);
    }
  }

  @Override
  public void close() {
    next.close();
  }
}

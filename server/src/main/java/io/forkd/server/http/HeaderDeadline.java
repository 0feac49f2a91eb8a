package io.forkd.server.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Ends connections whose request header comes too slowly, which the idle timeout does not see as
 * long as a byte comes now and then. A new connection, handshake included, must have sent a whole
 * header in time; a kept one when it begins the next.
 */
final class HeaderDeadline extends AbstractLifeCycle
    implements Connection.Listener, HttpConfiguration.Customizer {
  private final long deadlineNanos;
  private final Scheduler scheduler;
  private final Map<Connection, Wait> waits = new ConcurrentHashMap<>();

  /**
   * A connection between requests.
   *
   * @param since when its next header began, or 0 while it has not
   * @param bytes it had sent when its last request ended
   */
  private record Wait(long since, long bytes) {
    boolean begun() {
      return since != 0;
    }
  }

  HeaderDeadline(Duration deadline, Scheduler scheduler) {
    this.deadlineNanos = deadline.toNanos();
    this.scheduler = scheduler;
  }

  HttpConnectionFactory addTo(HttpConnectionFactory factory) {
    factory.getHttpConfiguration().addCustomizer(this);
    factory.addEventListener(this);
    return factory;
  }

  @Override
  protected void doStart() {
    sweepLater();
  }

  @Override
  public void onOpened(Connection connection) {
    waits.put(connection, new Wait(now(), 0));
  }

  @Override
  public void onClosed(Connection connection) {
    waits.remove(connection);
  }

  @Override
  public Request customize(Request request, HttpFields.Mutable responseHeaders) {
    Connection connection = request.getConnectionMetaData().getConnection();
    if (waits.remove(connection) != null) {
      Request.addCompletionListener(request, _ -> resume(connection));
    }
    return request;
  }

  /** Waits for the next request, unless the connection ended or was made something else. */
  private void resume(Connection connection) {
    if (connection.getEndPoint().isOpen()
        && connection.equals(connection.getEndPoint().getConnection())) {
      waits.put(connection, new Wait(0, connection.getBytesIn()));
    }
  }

  private void sweep() {
    long now = now();
    waits.forEach(
        (connection, wait) -> {
          if (!connection.getEndPoint().isOpen()) {
            waits.remove(connection);
          } else if (wait.begun() && now - wait.since() > deadlineNanos) {
            connection.getEndPoint().close();
          } else if (!wait.begun() && connection.getBytesIn() > wait.bytes()) {
            waits.replace(connection, wait, new Wait(now, wait.bytes()));
          }
        });
    sweepLater();
  }

  private void sweepLater() {
    if (!isStopping() && !isStopped()) {
      var _ =
          scheduler.schedule(
              this::sweep,
              Math.max(10, TimeUnit.NANOSECONDS.toMillis(deadlineNanos) / 4),
              TimeUnit.MILLISECONDS);
    }
  }

  /** Never 0, which means that a header has not begun. */
  private static long now() {
    return System.nanoTime() | 1;
  }
}

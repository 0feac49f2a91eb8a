package io.forkd.server;

import io.forkd.base.Duplex;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Header;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.RawExchange;
import io.forkd.server.http.TunnelHandler;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Passes one request on to a guest and the guest's answer back, as they come. The thread that
 * handles the request carries the answer; the body has a {@link BodyPump}.
 */
final class PortProxy {
  private static final int MOST_INTERIM_ANSWERS = 16;

  private final RawExchange client;
  private final PortTarget target;
  private final PortRequest request;
  private final PortAnswerHeaders headers;
  private final boolean proven;
  private final PortTimes times;

  PortProxy(Exchange exchange, PortTarget target, String path, PortTimes times) {
    this.client = exchange.raw();
    this.target = target;
    this.request = PortRequest.of(exchange, target, path);
    this.headers = new PortAnswerHeaders(new PortPlaces(target, exchange.header("Host"), path));
    this.proven = !Principal.of(exchange).name().equals(Principals.ANONYMOUS);
    this.times = times;
  }

  /** Serves the exchange and closes the line, unless it has become a tunnel. */
  void run(GuestLine line) throws IOException {
    client.endWithSender(line::close);
    Optional<BodyPump> pump = Optional.empty();
    boolean tunnel = false;
    try {
      boolean asked = ask(line);
      if (request.hasBody() && asked) {
        BodyPump started =
            new BodyPump(client.body(), line, request.length().isEmpty(), times.consent());
        pump = Optional.of(started);
        if (!request.expectsContinue()) {
          started.want();
        }
      }
      PortAnswer answer = answer(line, pump);
      tunnel = answer.status() == 101;
      if (tunnel) {
        upgrade(line, answer);
      } else {
        relay(line, answer);
      }
    } finally {
      if (!tunnel) {
        line.close();
        pump.ifPresent(this::finish);
      }
    }
  }

  /** Whether the guest took the head; one that did not may still have said why. */
  private boolean ask(GuestLine line) {
    try {
      line.output().write(request.head());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private PortAnswer answer(GuestLine line, Optional<BodyPump> pump) {
    try {
      for (int i = 0; i < MOST_INTERIM_ANSWERS; i++) {
        PortAnswer answer = PortAnswer.read(line.input());
        if (answer.status() >= 200 || (answer.status() == 101 && request.upgrade())) {
          return answer;
        }
        if (answer.status() == 101) {
          throw new BadAnswerException("it changes the protocol, which it was not asked to");
        }
        pump.ifPresent(BodyPump::want);
      }
      throw new BadAnswerException("it never comes to the point");
    } catch (IOException e) {
      throw problem(line, pump, e);
    }
  }

  private HttpProblem problem(GuestLine line, Optional<BodyPump> pump, IOException e) {
    Optional<IOException> clientFailure = pump.flatMap(BodyPump::clientFailure);
    if (clientFailure.isPresent()) {
      return new HttpProblem(
          408, "The request's body did not arrive: %s.".formatted(clientFailure.get()));
    }
    if (line.expired()) {
      return new HttpProblem(
          504,
          "What listens on %s was silent for %d s: look there for what it waits for."
              .formatted(target, times.idle().toSeconds()));
    }
    if (e instanceof BadAnswerException) {
      return new HttpProblem(
          502,
          "What listens on %s did not answer in HTTP/1.1 (%s): use `forkd port` for other protocols."
              .formatted(target, e.getMessage()));
    }
    return new HttpProblem(
        502,
        "What listens on %s closed the connection before it answered: look there for why."
            .formatted(target));
  }

  private void relay(GuestLine line, PortAnswer answer) throws IOException {
    if (answer.header("content-type").orElse("").startsWith("text/event-stream")) {
      client.endWithServer(line::close);
    }
    boolean bodiless = answer.status() == 204 || answer.status() == 304;
    boolean head = request.method().equals("HEAD");
    client.begin(
        answer.status(),
        headers.of(answer, proven),
        bodiless ? OptionalLong.empty() : answer.length());
    if (!bodiless && !head) {
      InputStream body = new PortAnswerBody(line.input(), answer);
      byte[] buffer = new byte[32 << 10];
      for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
        client.write(buffer, 0, count);
        line.moved();
      }
    }
    client.end();
  }

  private void upgrade(GuestLine line, PortAnswer answer) throws IOException {
    List<Header> shown = new ArrayList<>(headers.of(answer, true));
    shown.add(new Header("Connection", "Upgrade"));
    answer.headers().stream().filter(h -> h.key().equals("upgrade")).forEach(shown::add);
    line.unguarded();
    try {
      client.upgrade(shown, tunnelTo(line));
    } catch (IOException | RuntimeException e) {
      line.close();
      throw e;
    }
  }

  /** Joins a client to a guest's line. */
  static TunnelHandler tunnelTo(GuestLine line) {
    return new TunnelHandler() {
      @Override
      public void serve(Duplex client) throws IOException {
        Duplex.join(client, Duplex.of(line.input(), line.output(), line::close));
      }

      @Override
      public void abandon() {
        line.close();
      }
    };
  }

  private void finish(BodyPump pump) {
    if (!pump.endsWithin(times.drain())) {
      client.giveUpBody(new IOException("the exchange ended before the body did"));
      pump.endsWithin(times.drain());
    }
  }
}

package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Things told as they happen, one line each; at most one is held at a time, so who reads slowly
 * slows down who tells. Used by one thread; any other may close it, which ends the telling.
 *
 * @param <E> what is told
 */
public final class Feed<E> implements AutoCloseable {
  private static final int LONGEST_LINE = 256 << 20;

  private final LiveCall.Answer answer;
  private final InputStream body;
  private final Function<JsonObject, Optional<E>> reading;
  private final Optional<Predicate<E>> last;
  private final byte[] buffer = new byte[32 << 10];
  private int position;
  private int limit;
  private boolean ended;

  /**
   * @param reading of one line; empty for those that mean nothing to this client
   * @param last whether nothing can follow; empty when the telling may end anywhere
   */
  Feed(
      LiveCall.Answer answer,
      Function<JsonObject, Optional<E>> reading,
      Optional<Predicate<E>> last) {
    this.answer = answer;
    this.body = answer.body();
    this.reading = reading;
    this.last = last;
  }

  /** Waits for the next one; empty when there is none any more. */
  public Optional<E> next() {
    while (!ended) {
      Optional<E> event = line().flatMap(this::read);
      if (event.isPresent()) {
        ended = last.isPresent() && last.get().test(event.get());
        return event;
      }
    }
    return Optional.empty();
  }

  /** Hands all to a listener, on this thread. */
  public void forEach(Consumer<? super E> listener) {
    for (Optional<E> event = next(); event.isPresent(); event = next()) {
      listener.accept(event.get());
    }
  }

  private Optional<E> read(String line) {
    JsonObject json = Json.parseObject(line);
    if (json.text("type").equals("error")) {
      ended = true;
      int status =
          json.optionalNumber("status").orElse((long) ForkdClientException.BROKEN).intValue();
      throw new ForkdClientException(status, json.text("error"));
    }
    return reading.apply(json);
  }

  /** The next line that is not empty; empty at the end, which must be where one is expected. */
  private Optional<String> line() {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      while (true) {
        if (position == limit && !fill()) {
          return end();
        }
        int start = position;
        while (position < limit && buffer[position] != '\n') {
          position++;
        }
        line.write(buffer, start, position - start);
        if (line.size() > LONGEST_LINE) {
          throw new IOException("a line is longer than " + LONGEST_LINE + " bytes");
        }
        if (position < limit) {
          position++;
          if (line.size() > 0) {
            return Optional.of(line.toString(UTF_8));
          }
        }
      }
    } catch (IOException e) {
      ended = true;
      if (answer.call().closed()) {
        return Optional.empty();
      }
      throw answer.call().broken(e);
    }
  }

  private Optional<String> end() throws EOFException {
    if (last.isPresent()) {
      throw new EOFException("it ends in the middle");
    }
    ended = true;
    return Optional.empty();
  }

  private boolean fill() throws IOException {
    position = 0;
    limit = Math.max(0, body.read(buffer, 0, buffer.length));
    return limit > 0;
  }

  /** Stops listening; what is listened to goes on. */
  @Override
  public void close() {
    ended = true;
    answer.close();
  }
}

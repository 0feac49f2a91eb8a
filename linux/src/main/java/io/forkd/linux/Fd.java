package io.forkd.linux;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The owner of one open descriptor: closing it closes the descriptor, once. Whoever closes it sees
 * to it that no other thread is still using the number.
 */
public final class Fd implements AutoCloseable {
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final int CLOSED = -1;

  private final AtomicInteger number;

  private Fd(int number) {
    this.number = new AtomicInteger(number);
  }

  static Fd owning(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("%d is not a descriptor".formatted(number));
    }
    return new Fd(number);
  }

  /** The descriptor's number, valid until this is closed or released. */
  public int number() {
    int current = number.get();
    if (current == CLOSED) {
      throw new IllegalStateException("the descriptor is closed");
    }
    return current;
  }

  public boolean isOpen() {
    return number.get() != CLOSED;
  }

  /** Gives up ownership: the caller now closes the number. */
  public int release() {
    int current = number.getAndSet(CLOSED);
    if (current == CLOSED) {
      throw new IllegalStateException("the descriptor is closed");
    }
    return current;
  }

  /** A second descriptor of the same open file with a number of at least {@code lowest}. */
  public Fd dupAbove(int lowest) {
    return owning(FileCalls.fcntl(number(), F_DUPFD_CLOEXEC, lowest));
  }

  @Override
  public void close() {
    int current = number.getAndSet(CLOSED);
    if (current != CLOSED) {
      FileCalls.close(current);
    }
  }

  @Override
  public String toString() {
    return "fd " + number.get();
  }
}

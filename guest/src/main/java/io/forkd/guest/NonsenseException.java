package io.forkd.guest;

/** The guest said something that the protocol does not allow; it costs the guest its channel. */
final class NonsenseException extends Exception {
  NonsenseException(String message) {
    super(message);
  }
}

package io.forkd.core.net;

/** A DNS message that breaks the rules of its format. */
final class DnsFormatException extends Exception {
  DnsFormatException(String message) {
    super(message);
  }
}

package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.Optional;

/** The part of an address after the question mark; what is absent is left out. */
final class Query {
  private final StringBuilder text = new StringBuilder();

  Query with(String name, Object value) {
    text.append(text.isEmpty() ? '?' : '&')
        .append(name)
        .append('=')
        .append(URLEncoder.encode(value.toString(), UTF_8).replace("+", "%20"));
    return this;
  }

  Query with(String name, Optional<?> value) {
    return value.isPresent() ? with(name, value.get()) : this;
  }

  Query flag(String name, boolean value) {
    return value ? with(name, true) : this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}

package io.forkd.server.http;

/** How clients of one kind are told that a request failed; noted on an exchange. */
@FunctionalInterface
public interface ErrorShape {
  JsonObject of(int status, String message);
}

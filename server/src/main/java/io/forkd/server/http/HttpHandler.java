package io.forkd.server.http;

import java.io.IOException;

/** Answers one request, blocking on its own virtual thread. */
@FunctionalInterface
public interface HttpHandler {
  void handle(Exchange exchange) throws IOException;
}

package io.forkd.server.http;

import java.io.IOException;

/** Serves a WebSocket, on a virtual thread of its own. */
public interface WebSocketListener {
  /** The connection is closed when this returns or throws. */
  void serve(WebSocket socket) throws IOException;

  /** The client was gone before the connection could leave HTTP: nothing will be served. */
  void abandon();
}

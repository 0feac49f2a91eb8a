package io.forkd.server.http;

import io.forkd.base.Duplex;
import java.io.IOException;

/** Serves a connection that has left HTTP, on a virtual thread of its own. */
public interface TunnelHandler {
  /** The connection is closed when this returns or throws. */
  void serve(Duplex client) throws IOException;

  /** The client was gone before the connection could leave HTTP: nothing will be served. */
  void abandon();
}

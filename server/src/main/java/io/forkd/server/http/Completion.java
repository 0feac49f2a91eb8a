package io.forkd.server.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import org.eclipse.jetty.util.Callback;

/** Lets a virtual thread wait for something Jetty does. */
final class Completion extends Callback.Completable {
  Completion() {
    super(InvocationType.NON_BLOCKING);
  }

  void await() throws IOException {
    try {
      get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted by the end of the daemon");
    }
  }
}

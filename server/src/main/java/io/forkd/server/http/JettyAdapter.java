package io.forkd.server.http;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Lets a blocking {@link HttpHandler} answer Jetty's requests. */
final class JettyAdapter extends Handler.Abstract {
  private final HttpHandler handler;
  private final Endings endings;

  JettyAdapter(HttpHandler handler, Endings endings) {
    super(InvocationType.BLOCKING);
    this.handler = handler;
    this.endings = endings;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    // Silence while a handler works (an exec may take an hour) is not idleness; reads and writes
    // that stall still time out.
    request.addIdleTimeoutListener(_ -> false);
    try {
      handler.handle(new Exchange(request, response, endings));
      callback.succeeded();
    } catch (Throwable e) {
      callback.failed(e);
    }
    return true;
  }
}

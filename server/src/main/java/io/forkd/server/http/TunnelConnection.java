package io.forkd.server.http;

import io.forkd.base.Duplex;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection after it has left HTTP. Jetty opens it when the answer that says so is on its way;
 * from then on a virtual thread serves it. It may be silent for as long as both sides like.
 */
final class TunnelConnection extends AbstractConnection implements Connection.UpgradeTo, Duplex {
  private static final Logger log = LoggerFactory.getLogger(TunnelConnection.class);

  private final TunnelHandler handler;
  private final List<Endings> endings;
  private final Runnable end = this::close;
  private final EndPointInput input;
  private final OutputStream output;

  TunnelConnection(
      EndPoint endPoint, Executor executor, TunnelHandler handler, List<Endings> endings) {
    super(endPoint, executor);
    this.handler = handler;
    this.endings = endings;
    this.input = new EndPointInput(endPoint);
    this.output = new EndPointOutput(endPoint);
  }

  /** Takes what the client sent before it heard that HTTP had ended. */
  @Override
  public void onUpgradeTo(ByteBuffer sentEarly) {
    input.unread(sentEarly);
  }

  @Override
  public void onOpen() {
    super.onOpen();
    getEndPoint().setIdleTimeout(0);
    KeepAlive.ask(getEndPoint());
    Thread.ofVirtual().name("tunnel").start(this::serve);
  }

  private void serve() {
    endings.forEach(each -> each.add(end));
    try {
      handler.serve(this);
    } catch (IOException e) {
      log.debug("A tunnel broke: {}", e.toString());
    } catch (RuntimeException | Error e) {
      log.error("Serving a tunnel failed", e);
    } finally {
      endings.forEach(each -> each.remove(end));
      close();
    }
  }

  @Override
  public InputStream input() {
    return input;
  }

  @Override
  public OutputStream output() {
    return output;
  }

  @Override
  public void onFillable() {
    throw new IllegalStateException("the input asks for itself what it is told");
  }
}

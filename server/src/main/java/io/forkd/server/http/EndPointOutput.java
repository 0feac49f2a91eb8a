package io.forkd.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.EndPoint;

/** What a peer gets, written by one thread that waits until it is taken. */
final class EndPointOutput extends OutputStream {
  private final EndPoint endPoint;

  EndPointOutput(EndPoint endPoint) {
    this.endPoint = endPoint;
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    if (length == 0) {
      return;
    }
    Completion written = new Completion();
    endPoint.write(written, ByteBuffer.wrap(source, offset, length));
    written.await();
  }

  /** Tells the peer that no more comes; it may go on sending. */
  @Override
  public void close() {
    endPoint.shutdownOutput();
  }
}

package io.forkd.server.http;

import io.forkd.base.ChunkInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.EndPoint;

/** What a peer sends, read by one thread that waits for it. */
final class EndPointInput extends ChunkInput {
  private final EndPoint endPoint;
  private ByteBuffer unread = ByteBuffer.allocate(0);

  EndPointInput(EndPoint endPoint) {
    this.endPoint = endPoint;
  }

  /** Puts bytes before those still to come. */
  void unread(ByteBuffer bytes) {
    unread = bytes;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (unread.hasRemaining()) {
      int count = Math.min(length, unread.remaining());
      unread.get(target, offset, count);
      return count;
    }
    // Jetty appends at the limit.
    ByteBuffer buffer = ByteBuffer.wrap(target, offset, length).slice().limit(0);
    while (true) {
      int count = endPoint.fill(buffer);
      if (count != 0) {
        return count;
      }
      Completion readable = new Completion();
      endPoint.fillInterested(readable);
      readable.await();
    }
  }
}

package io.forkd.core.net;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Held while addresses of the range all daemons of a host share are looked for and taken into use.
 */
final class HostLock implements AutoCloseable {
  private static final Path FILE = Path.of("/run/forkd-net.lock");
  private static final ReentrantLock HERE = new ReentrantLock();

  private final FileChannel channel;

  private HostLock(FileChannel channel) {
    this.channel = channel;
  }

  static HostLock take() throws IOException {
    HERE.lock();
    try {
      FileChannel channel =
          FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        channel.lock();
        return new HostLock(channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      HERE.unlock();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HERE.unlock();
    }
  }
}

package io.forkd.vmm;

import io.forkd.linux.HostFiles;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * A socket that one VMM connects to, to send its guest's memory. It lies in a folder the VMM cannot
 * write to and belongs to the VMM's user, so that no other sandbox can.
 */
final class StreamListener implements AutoCloseable {
  private static final int OWNER_ONLY = 0600;

  private final ServerSocketChannel server;
  private final Path path;

  private StreamListener(ServerSocketChannel server, Path path) {
    this.server = server;
    this.path = path;
  }

  static StreamListener open(VmSite site) throws IOException {
    Path path = site.streamSocket();
    Files.deleteIfExists(path); // an earlier daemon's
    StreamListener listener =
        new StreamListener(ServerSocketChannel.open(StandardProtocolFamily.UNIX), path);
    try {
      listener.server.bind(UnixDomainSocketAddress.of(path), 1);
      listener.server.configureBlocking(false);
      HostFiles.chmod(path, OWNER_ONLY);
      site.runAs().ifPresent(who -> HostFiles.chown(path, who.uid(), who.gid()));
      return listener;
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  /**
   * Waits for the VMM.
   *
   * @param stillComing whether it may yet connect
   */
  SocketChannel accept(BooleanSupplier stillComing) throws IOException {
    Waiting waiting = new Waiting("connect", Precopy.WAIT);
    while (true) {
      SocketChannel channel = server.accept();
      if (channel != null) {
        return channel;
      }
      if (!stillComing.getAsBoolean()) {
        throw new IOException("QEMU did not connect");
      }
      waiting.aMoment();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(path);
  }
}

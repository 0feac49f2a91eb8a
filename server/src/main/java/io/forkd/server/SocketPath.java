package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Makes the path of the daemon's socket free to bind. */
final class SocketPath {
  /** What the kernel takes (108 with a terminator), less room to bind in a folder beside it. */
  private static final int LONGEST = 100;

  private static final int FILE_TYPE_MASK = 0170000;
  private static final int SOCKET_TYPE = 0140000;

  private SocketPath() {}

  /** Makes the folder, and removes a socket that nobody listens on any more. */
  static void prepare(Path socket) {
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST) {
      throw ForkdException.badRequest(
          "The socket path %s is longer than %d bytes, which the kernel cannot bind: set FORKD_RUN"
              + " or --socket to a shorter one.",
          socket, LONGEST);
    }
    Path folder = socket.getParent();
    if (folder != null) {
      Folders.make(folder);
    }
    try {
      if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
        replace(socket);
      }
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "Cannot make the socket %s: %s. Next: check who owns its folder, or use --socket."
              .formatted(socket, e),
          e);
    }
  }

  private static void replace(Path socket) throws IOException {
    int mode = (Integer) Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    if ((mode & FILE_TYPE_MASK) != SOCKET_TYPE) {
      throw ForkdException.conflict(
          "%s exists and is not a socket: move it away, or use --socket.", socket);
    }
    if (someoneListens(socket)) {
      throw ForkdException.conflict(
          "Another daemon listens on %s. Next: `forkd daemon stop`, or use --socket.", socket);
    }
    Files.delete(socket);
  }

  private static boolean someoneListens(Path socket) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(socket));
    } catch (IOException e) {
      return false;
    }
  }
}

package io.forkd.server.http;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.OptionalLong;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The user at the other end of a Unix socket, as the kernel noted it when that end connected. */
final class PeerUser {
  private static final Logger log = LoggerFactory.getLogger(PeerUser.class);
  private static final String ATTRIBUTE = PeerUser.class.getName();

  private PeerUser() {}

  /** Its numeric id; empty when it cannot be told, which must be taken for nobody. */
  static OptionalLong of(Request request) {
    ConnectionMetaData connection = request.getConnectionMetaData();
    if (connection.getAttribute(ATTRIBUTE) instanceof Long known) {
      return OptionalLong.of(known);
    }
    try {
      if (connection.getConnection().getEndPoint() instanceof SocketChannelEndPoint end) {
        long id = idOf(end.getChannel());
        connection.setAttribute(ATTRIBUTE, id);
        return OptionalLong.of(id);
      }
    } catch (IOException | RuntimeException e) {
      log.warn("Cannot tell who is at the other end of the Unix socket: {}", e.toString());
    }
    return OptionalLong.empty();
  }

  private static long idOf(SocketChannel channel) throws IOException {
    return idOf(channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user());
  }

  /**
   * The JDK shows a user's name and hides its number, but hashes to it; a principal that is looked
   * up by that number proves it.
   */
  private static long idOf(UserPrincipal user) throws IOException {
    int id = user.hashCode();
    UserPrincipalLookupService lookup = FileSystems.getDefault().getUserPrincipalLookupService();
    if (!lookup.lookupPrincipalByName(Integer.toString(id)).equals(user)) {
      throw new IOException("user '%s' is not %d".formatted(user.getName(), id));
    }
    return Integer.toUnsignedLong(id);
  }
}

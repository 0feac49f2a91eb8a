package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Makes listening Unix stream sockets whose descriptors can be handed to another process. */
public final class UnixListener {
  /** sun_path holds 108 bytes including the final NUL. */
  public static final int LONGEST_PATH = 107;

  private static final int FAMILY_SIZE = 2;
  private static final int OWNER_ONLY = 0600;

  private UnixListener() {}

  /**
   * Listens at a path that only its owner may connect to. A socket file nobody listens at is
   * replaced; one in use is refused with EADDRINUSE, any other file with EEXIST.
   */
  public static Fd bind(Path path, int backlog) {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    if (name.length == 0 || name.length > LONGEST_PATH) {
      throw new IllegalArgumentException(
          "the socket path %s has %d bytes; Linux takes 1 to %d: use a shorter run folder"
              .formatted(path, name.length, LONGEST_PATH));
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = address(arena, name);
      removeStale(path, address);
      Fd socket = SocketCalls.unixStream();
      try {
        // Before bind, because the file takes the socket's mode: there is no moment of wider
        // rights.
        FileCalls.fchmod(socket.number(), OWNER_ONLY);
        SocketCalls.bind(socket.number(), address, path.toString());
        SocketCalls.listen(socket.number(), backlog);
        return socket;
      } catch (LinuxException e) {
        socket.close();
        throw e;
      }
    }
  }

  private static void removeStale(Path path, MemorySegment address) {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Fd file = HostFiles.open(path, OpenFlag.PATH);
        Fd client = SocketCalls.unixStream()) {
      if (FileStatus.of(file).type() != FileStatus.Type.SOCKET) {
        throw LinuxException.of("bind", Errno.EEXIST, path, "not a socket, so left alone");
      }
      if (SocketCalls.tryConnect(client.number(), address) != -Errno.ECONNREFUSED.number()) {
        throw LinuxException.of("bind", Errno.EADDRINUSE, path);
      }
    }
    FileCalls.unlink(path.toString());
  }

  private static MemorySegment address(Arena arena, byte[] name) {
    MemorySegment address = arena.allocate(FAMILY_SIZE + LONGEST_PATH + 1L, Long.BYTES);
    address.set(JAVA_SHORT, 0, (short) SocketCalls.AF_UNIX);
    MemorySegment.copy(name, 0, address, JAVA_BYTE, FAMILY_SIZE, name.length);
    return address;
  }
}

package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The C functions on sockets, one method each. */
final class SocketCalls {
  static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_CLOEXEC = 0x80000;

  private static final MethodHandle SOCKET =
      Native.bind("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle BIND =
      Native.bind("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle LISTEN =
      Native.bind("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CONNECT =
      Native.bind("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  private SocketCalls() {}

  static Fd unixStream() {
    return Fd.owning(
        (int)
            Native.call(
                "socket",
                (arena, errno) ->
                    (int) SOCKET.invokeExact(errno, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                "AF_UNIX",
                "SOCK_STREAM"));
  }

  static void bind(int socket, MemorySegment address, String shown) {
    Native.call(
        "bind",
        (arena, errno) -> (int) BIND.invokeExact(errno, socket, address, (int) address.byteSize()),
        socket,
        shown);
  }

  static void listen(int socket, int backlog) {
    Native.call(
        "listen",
        (arena, errno) -> (int) LISTEN.invokeExact(errno, socket, backlog),
        socket,
        backlog);
  }

  /** Zero, or the negative errno. */
  static int tryConnect(int socket, MemorySegment address) {
    return (int)
        Native.tryCall(
            (arena, errno) ->
                (int) CONNECT.invokeExact(errno, socket, address, (int) address.byteSize()));
  }
}

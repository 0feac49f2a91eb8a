package io.forkd.core.net;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Inside;
import io.forkd.linux.Netns;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The network that slots are joined to: the daemon's own, or in tests a namespace that stands for a
 * host.
 */
public record HostNet(Optional<Netns> netns) {
  /** The network this process is in. */
  public static final HostNet OWN = new HostNet(Optional.empty());

  private static final Path FORWARDING = Path.of("/proc/sys/net/ipv4/ip_forward");
  private static final Path LINKS = Path.of("/proc/thread-self/net/dev");
  private static final Path ROUTES = Path.of("/proc/thread-self/net/route");

  <T> T call(Inside<T> work) throws IOException {
    return netns.isPresent() ? netns.get().call(work) : work.run();
  }

  /** Lets the host pass packets on; true when it did not before. */
  boolean enableForwarding() {
    return attempt(
        "let the host forward IPv4 packets",
        () -> {
          if (Files.readString(FORWARDING).strip().equals("1")) {
            return false;
          }
          Files.writeString(FORWARDING, "1\n");
          return true;
        });
  }

  /** The names of its interfaces. */
  List<String> links() {
    return attempt(
        "list the host's network interfaces",
        () ->
            Files.readAllLines(LINKS).stream()
                .skip(2)
                .map(line -> line.substring(0, line.indexOf(':')).strip())
                .toList());
  }

  /** Where its routes begin, as the kernel shows them. */
  List<Long> routes() {
    return attempt("list the host's routes", () -> parseRoutes(Files.readAllLines(ROUTES)));
  }

  static List<Long> parseRoutes(List<String> lines) {
    return lines.stream()
        .skip(1)
        .map(line -> line.split("\t", -1))
        .filter(fields -> fields.length > 2)
        .map(fields -> Integer.toUnsignedLong(networkOrder(fields[1])))
        .toList();
  }

  /** The kernel prints the bytes of an address as a number of this machine. */
  private static int networkOrder(String hex) {
    int number = Integer.parseUnsignedInt(hex, 16);
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? Integer.reverseBytes(number)
        : number;
  }

  private <T> T attempt(String what, Inside<T> work) {
    try {
      return call(work);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "could not %s: %s.".formatted(what, e.getMessage()), e);
    }
  }
}

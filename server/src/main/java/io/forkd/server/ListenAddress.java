package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code HOST:PORT}, where an IPv6 address stands in brackets. */
final class ListenAddress {
  private static final Pattern FORM = Pattern.compile("(?:\\[([^\\]]+)]|([^:\\[\\]]+)):(\\d{1,5})");

  private ListenAddress() {}

  static InetSocketAddress parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > 65535) {
      throw ForkdException.badRequest(
          "--listen '%s' is not HOST:PORT: use, for example, 127.0.0.1:8889 or [::1]:8889.",
          Printable.shorten(text));
    }
    String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    try {
      return new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(matcher.group(3)));
    } catch (UnknownHostException e) {
      throw ForkdException.badRequest(
          "--listen names the host '%s', which this host cannot resolve: use an address.",
          Printable.shorten(host));
    }
  }

  static boolean isLoopback(InetSocketAddress address) {
    return address.getAddress().isLoopbackAddress();
  }
}

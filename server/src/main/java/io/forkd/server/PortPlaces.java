package io.forkd.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns places in a guest into places in the API. A guest may send clients elsewhere in the world,
 * as any server may, but nowhere in the API except to its own port: clients that follow a redirect
 * take what they showed to the daemon with them.
 *
 * @param host what the client calls the daemon, if it said so
 * @param path what the guest was asked for, by which it says relative places
 */
record PortPlaces(PortTarget target, Optional<String> host, String path) {
  private static final Pattern URL =
      Pattern.compile("(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?(.*)", Pattern.DOTALL);
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|0\\.0\\.0\\.0|\\[::1?]");

  /** The same place, as the client reaches it. */
  String translated(String url) {
    // As browsers read them: '\' as '/', and tabs not at all.
    Matcher parts = URL.matcher(url.replace("\t", "").replace('\\', '/').strip());
    if (!parts.matches()) {
      return target.prefix() + "/";
    }
    Optional<String> scheme =
        Optional.ofNullable(parts.group(1)).map(name -> name.toLowerCase(Locale.ROOT));
    Optional<String> authority = Optional.ofNullable(parts.group(2));
    String rest = parts.group(3);
    if (authority.isPresent()) {
      return isOurs(authority.get()) ? local(absolute(rest)) : url;
    }
    if (scheme.isPresent()) {
      // Such as mailto:x; but http:x is a relative place to some.
      return scheme.get().startsWith("http") ? target.prefix() + "/" : url;
    }
    return local(rest.startsWith("/") ? rest : relative(rest));
  }

  private boolean isOurs(String authority) {
    String name = authority.substring(authority.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
    if (host.isPresent() && name.equals(host.get().toLowerCase(Locale.ROOT))) {
      return true;
    }
    String port = ":" + target.port();
    boolean named = name.endsWith(port) || target.port() == 80;
    String bare = name.endsWith(port) ? name.substring(0, name.length() - port.length()) : name;
    return named && LOOPBACK.matcher(bare).matches();
  }

  private static String absolute(String rest) {
    return rest.startsWith("/") ? rest : "/" + rest;
  }

  private String relative(String rest) {
    if (rest.isEmpty() || rest.startsWith("?") || rest.startsWith("#")) {
      return path + rest;
    }
    return path.substring(0, path.lastIndexOf('/') + 1) + rest;
  }

  /** A guest that was told where it is found may say so itself. */
  private String local(String place) {
    int end = place.length();
    for (char mark : new char[] {'?', '#'}) {
      int at = place.indexOf(mark);
      end = at < 0 ? end : Math.min(end, at);
    }
    String whole = withoutDots(place.substring(0, end));
    boolean prefixed = whole.startsWith(target.prefix() + "/");
    return (prefixed ? whole : target.prefix() + whole) + place.substring(end);
  }

  private static String withoutDots(String path) {
    Deque<String> kept = new ArrayDeque<>();
    String last = "";
    for (String segment : path.substring(1).split("/", -1)) {
      String plain = segment.replaceAll("(?i)%2e", ".");
      last = plain;
      if (plain.equals("..")) {
        kept.pollLast();
      } else if (!plain.equals(".")) {
        kept.addLast(segment);
      }
    }
    boolean folder = last.equals(".") || last.equals("..");
    return "/" + String.join("/", kept) + (folder && !kept.isEmpty() ? "/" : "");
  }
}

package io.forkd.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which ports of a sandbox are to be reachable where. */
record PortWishes(String host, List<Wish> wishes) {
  private static final Pattern LISTEN =
      Pattern.compile("(?:\\[([^\\]]+)]|([^:\\[\\]]+))(?::(\\d{1,5}))?");
  private static final Pattern PORT = Pattern.compile("(?:(\\d{1,5}):)?(\\d{1,5})");
  private static final String LOOPBACK = "127.0.0.1";

  /**
   * One port.
   *
   * @param local the one to listen on, 0 for any; empty means the same, or another when that cannot
   *     be had
   */
  record Wish(Optional<Integer> local, int port) {}

  static PortWishes of(Optional<String> listen, List<String> ports) {
    Optional<Matcher> where = listen.map(PortWishes::parse);
    List<Wish> wishes = new ArrayList<>();
    for (String port : ports) {
      wishes.add(wish(port));
    }
    Optional<String> fixed = where.map(found -> found.group(3));
    if (fixed.isPresent()) {
      if (wishes.size() > 1 || wishes.getFirst().local().isPresent()) {
        throw CliException.usage(
            "--listen has a port, which can be that of one PORT alone: use LOCAL:PORT instead.");
      }
      int local = number(fixed.get(), 0);
      wishes.set(0, new Wish(Optional.of(local), wishes.getFirst().port()));
    }
    String host =
        where
            .flatMap(found -> Optional.ofNullable(found.group(1)).or(() -> name(found)))
            .orElse(LOOPBACK);
    return new PortWishes(host, List.copyOf(wishes));
  }

  private static Optional<String> name(Matcher found) {
    return Optional.ofNullable(found.group(2));
  }

  private static Matcher parse(String listen) {
    Matcher matcher = LISTEN.matcher(listen);
    if (!matcher.matches()) {
      throw CliException.usage(
          "--listen '%s' is not ADDR or ADDR:PORT: use, for example, 127.0.0.1:8000 or [::1]:8000."
              .formatted(Visible.name(listen)));
    }
    return matcher;
  }

  private static Wish wish(String text) {
    Matcher matcher = PORT.matcher(text);
    if (!matcher.matches()) {
      throw CliException.usage(
          "'%s' is not PORT or LOCAL:PORT: use, for example, 8000 or 9000:8000."
              .formatted(Visible.name(text)));
    }
    Optional<Integer> local = Optional.ofNullable(matcher.group(1)).map(n -> number(n, 0));
    return new Wish(local, number(matcher.group(2), 1));
  }

  private static int number(String text, int least) {
    int number = Integer.parseInt(text);
    if (number < least || number > 65535) {
      throw CliException.usage(
          "%d is not a port: use a number from %d to 65535.".formatted(number, least));
    }
    return number;
  }
}

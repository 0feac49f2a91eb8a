package io.forkd.core.net;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.core.Egress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads an {@link Egress}, strictly: what cannot be kept is refused before anything is made. */
public final class EgressRules {
  private static final int MOST = 256;

  private EgressRules() {}

  /** Throws a bad request that says what is wrong when the egress cannot be kept. */
  public static void check(Egress egress) {
    reachOf(egress);
  }

  /** An allowlist in its usual spelling; a bad request says what is wrong with an entry. */
  public static Egress.Allowlist allowlist(List<String> domains, List<String> cidrs) {
    List<String> names = parsed("domains", domains, text -> NamePattern.parse(text).toString());
    List<String> ranges =
        parsed(
            "cidrs",
            cidrs,
            text -> {
              reachable(text);
              return Ipv4Range.parse(text).cidr();
            });
    return new Egress.Allowlist(names, ranges);
  }

  static Reach reachOf(Egress egress) {
    return switch (egress) {
      case Egress.None _ -> Reach.NOBODY;
      case Egress.Internet _ -> new Reach(KnownRanges.PUBLIC, List.of(), true);
      case Egress.Allowlist list -> reachOf(list);
    };
  }

  private static Reach reachOf(Egress.Allowlist list) {
    List<NamePattern> names = parsed("domains", list.domains(), NamePattern::parse);
    Ipv4Set addresses = Ipv4Set.EMPTY;
    for (Ipv4Set part : parsed("cidrs", list.cidrs(), EgressRules::reachable)) {
      addresses = addresses.plus(part);
    }
    return new Reach(addresses, names, false);
  }

  private static <T> List<T> parsed(String field, List<String> texts, Function<String, T> parse) {
    if (texts.size() > MOST) {
      throw ForkdException.badRequest(
          "an allowlist has at most %d %s, not %d.", MOST, field, texts.size());
    }
    List<T> parsed = new ArrayList<>();
    for (String text : texts) {
      try {
        parsed.add(parse.apply(text));
      } catch (IllegalArgumentException e) {
        throw ForkdException.badRequest(
            "'%s' cannot be among the allowlist's %s: %s.",
            Printable.shorten(text), field, e.getMessage());
      }
    }
    return parsed;
  }

  /** A range opens private addresses only when it lies inside them: 0.0.0.0/0 does not. */
  private static Ipv4Set reachable(String cidr) {
    if (cidr.contains(":")) {
      throw new IllegalArgumentException("sandboxes have no IPv6");
    }
    Ipv4Range range = Ipv4Range.parse(cidr);
    Ipv4Set all = Ipv4Set.of(List.of(range));
    if (KnownRanges.PRIVATE.contains(range)) {
      return all;
    }
    Ipv4Set open = all.minus(KnownRanges.PRIVATE).minus(KnownRanges.NEVER);
    if (open.isEmpty()) {
      throw new IllegalArgumentException(
          "loopback, link-local and metadata, multicast, reserved addresses and those of other"
              + " sandboxes are never reachable");
    }
    return open;
  }
}

package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.core.Egress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the words egress policies are made of, so that only sound ones reach the core. */
final class EgressText {
  static final int MOST_ENTRIES = 256;

  private static final String LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
  // The last label has a letter, or it would be an address.
  private static final Pattern DOMAIN =
      Pattern.compile(
          "(?:\\*\\.)?(?:%s\\.)*(?=[^.]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
              .formatted(LABEL));
  private static final Pattern RANGE =
      Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})(?:/(\\d{1,2}))?");

  private EgressText() {}

  /** From {@code none}, {@code internet} or {@code allow:host,*.host,192.0.2.0/24}. */
  static Egress parse(String name, String text) {
    if (text.startsWith("allow:")) {
      return list(name, List.of(text.substring("allow:".length()).split(",", -1)));
    }
    return switch (text) {
      case "none" -> Egress.NONE;
      case "internet" -> Egress.INTERNET;
      default ->
          throw ForkdException.badRequest(
              "%s is '%s': use none, internet or allow:HOST,*.HOST,CIDR.",
              name, Printable.shorten(text));
    };
  }

  private static Egress list(String name, List<String> entries) {
    List<String> domains = new ArrayList<>();
    List<String> ranges = new ArrayList<>();
    for (String entry : entries) {
      String word = entry.strip();
      boolean address = word.contains("/") || word.contains(":") || RANGE.matcher(word).matches();
      (address ? ranges : domains).add(word);
    }
    return allowlist(name, domains, ranges);
  }

  /** An allowlist whose every entry is sound, in its usual spelling. */
  static Egress allowlist(String name, List<String> domains, List<String> ranges) {
    if (domains.size() + ranges.size() > MOST_ENTRIES) {
      throw ForkdException.badRequest(
          "%s has %d entries: use at most %d.", name, domains.size() + ranges.size(), MOST_ENTRIES);
    }
    return new Egress.Allowlist(
        domains.stream().map(domain -> domain(name, domain)).toList(),
        ranges.stream().map(range -> range(name, range)).toList());
  }

  private static String domain(String name, String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    String domain = lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    if (domain.length() > 253 || !DOMAIN.matcher(domain).matches()) {
      throw ForkdException.badRequest(
          "%s names '%s', which is no host: use names such as www.example.com or *.example.org.",
          name, Printable.shorten(text));
    }
    return domain;
  }

  private static String range(String name, String text) {
    Matcher parts = RANGE.matcher(text);
    if (!parts.matches()) {
      throw notARange(name, text);
    }
    long address = 0;
    for (int i = 1; i <= 4; i++) {
      int part = Integer.parseInt(parts.group(i));
      if (part > 255) {
        throw notARange(name, text);
      }
      address = address << 8 | part;
    }
    int bits = parts.group(5) == null ? 32 : Integer.parseInt(parts.group(5));
    if (bits > 32 || (address & (0xffffffffL >>> bits)) != 0) {
      throw notARange(name, text);
    }
    return "%d.%d.%d.%d/%d"
        .formatted(address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255, bits);
  }

  private static ForkdException notARange(String name, String text) {
    return ForkdException.badRequest(
        "%s names '%s', which is no range of IPv4 addresses: use, for example, 192.0.2.0/24 (no"
            + " bits set beyond the prefix) or 192.0.2.7.",
        name, Printable.shorten(text));
  }
}

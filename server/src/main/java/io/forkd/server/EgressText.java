package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.core.Egress;
import io.forkd.core.net.EgressRules;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads egress policies that are written in one word. */
final class EgressText {
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*[/:].*");

  private EgressText() {}

  /** From {@code none}, {@code internet} or {@code allow:host,*.host,192.0.2.0/24}. */
  static Egress parse(String name, String text) {
    if (text.startsWith("allow:")) {
      try {
        return allowlist(text.substring("allow:".length()));
      } catch (ForkdException e) {
        throw new ForkdException(e.code(), name + ": " + e.getMessage(), e);
      }
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

  private static Egress allowlist(String entries) {
    List<String> domains = new ArrayList<>();
    List<String> ranges = new ArrayList<>();
    for (String entry : entries.split(",", -1)) {
      String word = entry.strip();
      (ADDRESS.matcher(word).matches() ? ranges : domains).add(word);
    }
    return EgressRules.allowlist(domains, ranges);
  }
}

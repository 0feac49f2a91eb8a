package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.core.Egress;
import io.forkd.core.net.EgressRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** E2B's network settings as an egress policy. */
final class NetworkFields {
  private static final String EVERYTHING = "0.0.0.0/0";
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+(/[0-9]+)?");

  private NetworkFields() {}

  /** Of a new sandbox; empty means the daemon's default. */
  static Optional<Egress> ofNew(Body body) {
    Body network = body.object("network").orElse(Body.read(new byte[0]));
    boolean shut = !body.flag("allow_internet_access").orElse(true);
    return restricted(network, shut);
  }

  /** Of one whose network is set anew. */
  static Egress ofUpdate(Body network) {
    boolean shut = !network.flag("allow_internet_access").orElse(true);
    return restricted(network, shut).orElse(Egress.INTERNET);
  }

  private static Optional<Egress> restricted(Body network, boolean shut) {
    refuse(network, "rules", "transforming requests");
    refuse(network, "egressProxy", "an egress proxy");
    refuse(network, "maskRequestHost", "masking the host");
    List<String> denied = network.texts("denyOut");
    List<String> allowed = network.texts("allowOut");
    if (!shut && denied.isEmpty()) {
      return Optional.empty(); // what is allowed beside everything is allowed anyway
    }
    if (!shut && !denied.contains(EVERYTHING)) {
      throw ForkdException.badRequest(
          "network.denyOut names single ranges, which forkd cannot deny: deny %s and allow what is"
              + " needed with network.allowOut.",
          EVERYTHING);
    }
    if (allowed.contains(EVERYTHING)) {
      return Optional.of(Egress.INTERNET);
    }
    return Optional.of(allowed.isEmpty() ? Egress.NONE : allowlist(allowed));
  }

  private static Egress allowlist(List<String> entries) {
    List<String> domains = new ArrayList<>();
    List<String> ranges = new ArrayList<>();
    for (String entry : entries) {
      (ADDRESS.matcher(entry).matches() ? ranges : domains).add(entry);
    }
    return EgressRules.allowlist(domains, ranges);
  }

  private static void refuse(Body network, String field, String what) {
    boolean empty =
        !network.has(field)
            || (network.fields().get(field) instanceof Map<?, ?> map && map.isEmpty());
    if (!empty) {
      throw ForkdException.badRequest(
          "network.%s is not supported: forkd has no %s; leave it out.", field, what);
    }
  }
}

package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.core.ChildSpec;
import io.forkd.core.Egress;
import io.forkd.core.Lifetime;
import io.forkd.core.Limits;
import io.forkd.core.Sandbox;
import io.forkd.core.SandboxChange;
import io.forkd.core.net.EgressRules;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** The fields that say what a sandbox is given, wherever one is made or changed. */
final class ChildFields {
  private ChildFields() {}

  static ChildSpec read(Fields fields) {
    return new ChildSpec(
        limits(fields),
        new Lifetime(
            fields.ttl("ttl_secs"),
            fields.ttl("idle_timeout_secs"),
            fields.oneOf("on_timeout", Lifetime.AtEnd.class).orElse(Lifetime.AtEnd.KILL)),
        egress(fields),
        fields.pairs("labels").orElse(Map.of()),
        Optional.empty());
  }

  /** What to change about a sandbox; the limits and times that are not named stay as they are. */
  static SandboxChange readChange(Fields fields, Sandbox sandbox, Instant now) {
    Limits limits = limits(fields);
    return new SandboxChange(
        limits.equals(Limits.NONE)
            ? Optional.empty()
            : Optional.of(limits.or(sandbox.given().limits())),
        lifetime(fields, sandbox, now),
        egress(fields),
        fields.pairs("labels"));
  }

  private static Limits limits(Fields fields) {
    return new Limits(
        fields.integer("memory_limit_mib", Limits.LEAST_MEMORY_MIB, Limits.MOST_MEMORY_MIB),
        fields.decimal("cpus"),
        fields.integer("pids", Limits.LEAST_PIDS, Limits.MOST_PIDS),
        fields.longInteger("io_bytes_per_sec", Limits.LEAST_IO, Long.MAX_VALUE));
  }

  private static Optional<Lifetime> lifetime(Fields fields, Sandbox sandbox, Instant now) {
    Lifetime before = sandbox.given().lifetime();
    Optional<Lifetime.AtEnd> atEnd = fields.oneOf("on_timeout", Lifetime.AtEnd.class);
    if (!fields.mentions("ttl_secs") && !fields.mentions("idle_timeout_secs") && atEnd.isEmpty()) {
      return Optional.empty();
    }
    Optional<Duration> ttl =
        fields.mentions("ttl_secs") ? fields.ttl("ttl_secs") : remaining(sandbox, now);
    Optional<Duration> idle =
        fields.mentions("idle_timeout_secs") ? fields.ttl("idle_timeout_secs") : before.idle();
    return Optional.of(new Lifetime(ttl, idle, atEnd.orElse(before.atEnd())));
  }

  /**
   * A lifetime counts from when it is set, so of one that goes on only the rest is left: in whole
   * seconds.
   */
  private static Optional<Duration> remaining(Sandbox sandbox, Instant now) {
    return sandbox
        .expiresAt()
        .map(end -> Duration.ofSeconds(Duration.between(now, end).toSeconds() + 1))
        .filter(Duration::isPositive)
        .or(() -> sandbox.given().lifetime().ttl());
  }

  private static Optional<Egress> egress(Fields fields) {
    return fields.stringOrObject(
        "egress", word -> policy(word, new Fields(Map.of())), ChildFields::policy);
  }

  private static Egress policy(Fields fields) {
    return policy(fields.requiredString("policy"), fields);
  }

  private static Egress policy(String word, Fields fields) {
    return switch (word) {
      case "none" -> Egress.NONE;
      case "internet" -> Egress.INTERNET;
      case "allowlist" -> EgressRules.allowlist(fields.strings("domains"), fields.strings("cidrs"));
      default ->
          throw ForkdException.badRequest(
              "egress is '%s': use \"none\", \"internet\" or {\"policy\": \"allowlist\","
                  + " \"domains\": […], \"cidrs\": […]}.",
              Printable.shorten(word));
    };
  }
}

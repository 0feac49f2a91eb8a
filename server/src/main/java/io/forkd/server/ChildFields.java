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
import java.util.stream.Stream;

/** The fields that say what a sandbox is given, wherever one is made or changed. */
final class ChildFields {
  private static final String MEMORY = "memory_limit_mib";
  private static final String CPUS = "cpus";
  private static final String PIDS = "pids";
  private static final String IO = "io_bytes_per_sec";

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
    return new SandboxChange(
        limits(fields, sandbox.given().limits()),
        lifetime(fields, sandbox, now),
        egress(fields),
        fields.pairs("labels"));
  }

  private static Limits limits(Fields fields) {
    return new Limits(
        fields.integer(MEMORY, Limits.LEAST_MEMORY_MIB, Limits.MOST_MEMORY_MIB),
        fields.decimal(CPUS),
        fields.integer(PIDS, Limits.LEAST_PIDS, Limits.MOST_PIDS),
        fields.longInteger(IO, Limits.LEAST_IO, Long.MAX_VALUE));
  }

  /** All limits after a change, of which one that is {@code null} is lifted. */
  private static Optional<Limits> limits(Fields fields, Limits before) {
    if (Stream.of(MEMORY, CPUS, PIDS, IO).noneMatch(fields::mentions)) {
      return Optional.empty();
    }
    Limits named = limits(fields);
    return Optional.of(
        new Limits(
            fields.mentions(MEMORY) ? named.memoryMib() : before.memoryMib(),
            fields.mentions(CPUS) ? named.cpus() : before.cpus(),
            fields.mentions(PIDS) ? named.pids() : before.pids(),
            fields.mentions(IO) ? named.ioBytesPerSecond() : before.ioBytesPerSecond()));
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

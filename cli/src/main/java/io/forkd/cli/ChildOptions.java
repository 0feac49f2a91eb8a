package io.forkd.cli;

import io.forkd.client.ChildRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a sandbox can be given when it is made. */
final class ChildOptions {
  @Mixin private LimitOptions limits = new LimitOptions();

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Its time is over after 90s, 15m, 2h or 7d.")
  private Optional<Duration> ttl = Optional.empty();

  @Option(
      names = "--idle",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Its time is over when nobody called it for so long.")
  private Optional<Duration> idle = Optional.empty();

  @Mixin private PolicyOptions policies = new PolicyOptions();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "A label to find it by; may be repeated.")
  private List<String> labels = new ArrayList<>();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "NAME=VALUE",
      description = "A variable for everything that runs in it; may be repeated.")
  private List<String> env = new ArrayList<>();

  ChildRequest request() {
    return new ChildRequest(
        limits.memoryMib().flatMap(Limit::most),
        limits.cpus().flatMap(Limit::most),
        limits.pids().flatMap(Limit::most),
        limits.ioBytesPerSec().flatMap(Limit::most),
        ttl,
        idle,
        policies.onTimeout(),
        policies.egress(),
        Labels.parse(labels),
        Pairs.parse("-e", env));
  }
}

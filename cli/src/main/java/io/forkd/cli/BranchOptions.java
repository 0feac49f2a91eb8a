package io.forkd.cli;

import io.forkd.client.BranchMode;
import io.forkd.client.BranchRequest;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of a branch, however the command that takes it is spelled. */
final class BranchOptions {
  @Option(
      names = "--no-wait",
      description = "Return when the sandbox runs again; the disk is written behind it.")
  private boolean noWait;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Let the snapshot be collected after 90s, 15m, 2h or 7d.")
  private Optional<Duration> ttl = Optional.empty();

  @Option(
      names = "--keep-last",
      paramLabel = "K",
      description = "Keep the last K branches of this sandbox; older ones nothing needs go.")
  private Optional<Integer> keepLast = Optional.empty();

  boolean given() {
    return noWait || ttl.isPresent() || keepLast.isPresent();
  }

  BranchRequest request(Optional<String> tag, Optional<BranchMode> mode) {
    requireSome(keepLast);
    return new BranchRequest(tag, mode, !noWait, ttl, keepLast);
  }

  static void requireSome(Optional<Integer> keepLast) {
    if (keepLast.isPresent() && keepLast.get() < 1) {
      throw CliException.usage("--keep-last is %d: keep 1 or more.".formatted(keepLast.get()));
    }
  }
}

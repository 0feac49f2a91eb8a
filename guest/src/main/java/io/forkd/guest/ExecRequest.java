package io.forkd.guest;

import static java.util.Objects.requireNonNull;

import io.forkd.base.ForkdException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program to run in the guest.
 *
 * @param env added to the guest's own environment
 * @param cwd the folder it starts in; the home folder when empty
 * @param stdin what it reads; an empty array means end of file at once
 * @param maxOutputBytes of stdout and stderr together; more is dropped and flagged
 */
public record ExecRequest(
    List<String> args,
    Map<String, String> env,
    Optional<String> cwd,
    byte[] stdin,
    Duration timeout,
    int maxOutputBytes) {
  public static final int DEFAULT_MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

  public ExecRequest {
    args = List.copyOf(args);
    env = Map.copyOf(env);
    stdin = stdin.clone();
    requireNonNull(cwd, "cwd is null");
    requireNonNull(timeout, "timeout is null");
    if (args.isEmpty()) {
      throw ForkdException.badRequest("exec needs at least the name of a program in args.");
    }
    if (maxOutputBytes < 0) {
      throw ForkdException.badRequest(
          "maxOutputBytes is %d: it cannot be negative.", maxOutputBytes);
    }
  }

  public static ExecRequest of(List<String> args, Duration timeout) {
    return new ExecRequest(
        args, Map.of(), Optional.empty(), new byte[0], timeout, DEFAULT_MAX_OUTPUT_BYTES);
  }

  @Override
  public byte[] stdin() {
    return stdin.clone();
  }
}

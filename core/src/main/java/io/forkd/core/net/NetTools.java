package io.forkd.core.net;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.HostCommand;
import io.forkd.linux.LinuxException;
import io.forkd.linux.Netns;
import io.forkd.linux.Spawn;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The two programs that configure networks; both are fed their work as a text. */
record NetTools(Path ip, Path nft) {
  /** The programs, or the name of the package that is missing. */
  static NetTools find() {
    return new NetTools(require("ip", "iproute2"), require("nft", "nftables"));
  }

  private static Path require(String program, String name) {
    return Spawn.find(program)
        .orElseThrow(
            () ->
                new ForkdException(
                    ErrorCode.HOST_FAILED,
                    "%s is missing: install the package %s.".formatted(program, name)));
  }

  /**
   * Configures interfaces.
   *
   * @param what is attempted, for the message of a failure
   */
  void ip(Optional<Netns> where, String what, String script) {
    run(ip, List.of("-batch", "-"), where, what, script);
  }

  /** Like {@link #ip}, going on after lines that fail; true when none did. */
  boolean tryIp(Optional<Netns> where, String script) {
    return HostCommand.run(ip, List.of("-force", "-batch", "-"), script, where).success();
  }

  /** Changes rules, all of the script or nothing of it, and answers what it asks for. */
  String nft(Optional<Netns> where, String what, String script) {
    return run(nft, List.of("-f", "-"), where, what, script);
  }

  private static String run(
      Path program, List<String> arguments, Optional<Netns> where, String what, String script) {
    try {
      HostCommand.Output output = HostCommand.run(program, arguments, script, where);
      if (output.success()) {
        return output.text();
      }
      throw failure(what, output.text().lines().findFirst().orElse(output.status().toString()));
    } catch (LinuxException e) {
      throw failure(what, e.getMessage());
    }
  }

  private static ForkdException failure(String what, String why) {
    return new ForkdException(
        ErrorCode.HOST_FAILED, "could not %s: %s.".formatted(what, why.strip()));
  }
}

package io.forkd.core.net;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.HostCommand;
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
    check(what, HostCommand.run(ip, List.of("-batch", "-"), script, where));
  }

  /** Like {@link #ip}, going on after lines that fail; true when none did. */
  boolean tryIp(Optional<Netns> where, String script) {
    return HostCommand.run(ip, List.of("-force", "-batch", "-"), script, where).success();
  }

  /** Changes rules, all of the script or nothing of it, and answers what it asks for. */
  String nft(Optional<Netns> where, String what, String script) {
    HostCommand.Output output = HostCommand.run(nft, List.of("-f", "-"), script, where);
    check(what, output);
    return output.text();
  }

  private static void check(String what, HostCommand.Output output) {
    if (!output.success()) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "could not %s: %s."
              .formatted(
                  what,
                  output.text().isBlank()
                      ? output.status().toString()
                      : output.text().lines().findFirst().orElse("").strip()));
    }
  }
}

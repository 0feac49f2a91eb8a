package io.forkd.core.net;

import io.forkd.linux.HostCommand;
import io.forkd.linux.Netns;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Shell scripts in a network of the tests. */
final class Sh {
  private Sh() {}

  /** What a script prints; it must succeed. */
  static String run(Netns where, String script) {
    HostCommand.Output output = attempt(where, script);
    if (!output.success()) {
      throw new AssertionError("%s: %s%n%s".formatted(output.status(), output.text(), script));
    }
    return output.text();
  }

  static HostCommand.Output attempt(Netns where, String script) {
    return HostCommand.run(Path.of("/bin/sh"), List.of("-e", "-s"), script, Optional.of(where));
  }
}

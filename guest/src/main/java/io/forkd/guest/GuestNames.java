package io.forkd.guest;

import io.forkd.base.SandboxId;
import java.nio.file.Path;

/** What failures call a guest, whose socket's path on the host is nobody's business. */
final class GuestNames {
  private static final String UNKNOWN = "the guest";

  private GuestNames() {}

  /** The sandbox in whose folder, or a folder of that, the agent's socket is. */
  static String of(Path socket) {
    String name = UNKNOWN;
    for (Path part : socket) {
      String text = part.toString();
      if (SandboxId.isValid(text)) {
        name = "sandbox " + text;
      }
    }
    return name;
  }
}

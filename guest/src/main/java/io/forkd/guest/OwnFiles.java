package io.forkd.guest;

import java.util.Set;

/**
 * The files of a guest that are forkd's own: what the fork handshake writes, and the agent's
 * folder. They differ in every sandbox and say nothing about what its user did.
 */
final class OwnFiles {
  private static final String FOLDER = "/run/forkd";
  private static final Set<String> FILES =
      Set.of(FOLDER, "/etc/hostname", "/etc/hosts", "/etc/machine-id", "/var/lib/dbus/machine-id");

  private OwnFiles() {}

  static boolean include(String path) {
    return FILES.contains(path) || path.startsWith(FOLDER + "/");
  }
}

package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The distribution this host runs.
 *
 * @param id {@code ID} and {@code ID_LIKE} of os-release
 * @param codename the release, such as {@code bookworm}
 */
record Host(List<String> id, String codename) {
  static Host current() {
    for (String file : List.of("/etc/os-release", "/usr/lib/os-release")) {
      if (Files.isReadable(Path.of(file))) {
        try {
          return parse(Files.readString(Path.of(file)));
        } catch (IOException e) {
          throw new ForkdException(
              ErrorCode.HOST_FAILED, "%s cannot be read: %s".formatted(file, e), e);
        }
      }
    }
    throw new ForkdException(
        ErrorCode.HOST_FAILED,
        "This host has no /etc/os-release; forkd runs on Debian and Ubuntu.");
  }

  static Host parse(String osRelease) {
    Map<String, String> values = new HashMap<>();
    for (String line : osRelease.lines().toList()) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), unquote(line.substring(equals + 1).strip()));
      }
    }
    // Derivatives of Ubuntu name the release they are built from separately.
    String codename =
        values.getOrDefault("UBUNTU_CODENAME", values.getOrDefault("VERSION_CODENAME", ""));
    String ids = values.getOrDefault("ID", "") + " " + values.getOrDefault("ID_LIKE", "");
    return new Host(List.of(ids.strip().split(" +")), codename);
  }

  boolean ubuntu() {
    return id.contains("ubuntu");
  }

  private static String unquote(String value) {
    boolean quoted = value.length() >= 2 && (value.startsWith("\"") || value.startsWith("'"));
    return quoted ? value.substring(1, value.length() - 1) : value;
  }
}

package io.forkd.base;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Where one daemon and its clients keep things. Two data folders never share a run folder, so
 * daemons on one host do not meet.
 *
 * @param data snapshots, images and logs; survives a reboot
 * @param run sockets and the folders of running sandboxes; short, because socket paths must be
 */
public record Locations(Path data, Path run) {
  /** From {@code FORKD_DATA} and {@code FORKD_RUN}, else the user's XDG folders. */
  public static Locations of(Map<String, String> env, boolean root) {
    String home = env.getOrDefault("HOME", "/root");
    Path data =
        Path.of(
                env.containsKey("FORKD_DATA")
                    ? env.get("FORKD_DATA")
                    : env.getOrDefault("XDG_DATA_HOME", home + "/.local/share") + "/forkd")
            .toAbsolutePath()
            .normalize();
    String runParent = root ? "/run" : env.getOrDefault("XDG_RUNTIME_DIR", "/tmp");
    Path run =
        env.containsKey("FORKD_RUN")
            ? Path.of(env.get("FORKD_RUN")).toAbsolutePath().normalize()
            : Path.of(runParent, "forkd-" + shortHash(data.toString()));
    return new Locations(data, run);
  }

  public Path socket() {
    return run.resolve("forkd.sock");
  }

  public Path pidFile() {
    return run.resolve("daemon.pid");
  }

  public Path log() {
    return data.resolve("log").resolve("daemon.log");
  }

  private static String shortHash(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted(crc.getValue());
  }
}

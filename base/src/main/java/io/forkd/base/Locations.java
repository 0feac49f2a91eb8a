package io.forkd.base;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
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
    String home = value(env, "HOME").orElse("/root");
    String dataHome = value(env, "XDG_DATA_HOME").orElse(home + "/.local/share");
    Path data = absolute(value(env, "FORKD_DATA").orElse(dataHome + "/forkd"));
    String runHome = root ? "/run" : value(env, "XDG_RUNTIME_DIR").orElse("/tmp");
    Path run =
        absolute(value(env, "FORKD_RUN").orElse(runHome + "/forkd-" + shortHash(data.toString())));
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

  /** The cgroup all sandboxes of this run folder are under; no other run folder has it. */
  public String groupName() {
    return "forkd-" + shortHash(run.toString());
  }

  /** An empty variable counts as one that is not set, as the XDG rules want it. */
  private static Optional<String> value(Map<String, String> env, String name) {
    return Optional.ofNullable(env.get(name)).filter(value -> !value.isEmpty());
  }

  private static Path absolute(String path) {
    return Path.of(path).toAbsolutePath().normalize();
  }

  private static String shortHash(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted(crc.getValue());
  }
}

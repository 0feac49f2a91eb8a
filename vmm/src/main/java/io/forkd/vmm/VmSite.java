package io.forkd.vmm;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The place one VMM process lives in.
 *
 * @param name shown in the process list
 * @param dir its work folder, owned by the identity it runs as
 * @param runAs who it runs as; empty means as we do
 */
public record VmSite(String name, Path dir, Optional<RunAs> runAs) {
  /** An unprivileged identity. */
  public record RunAs(int uid, int gid) {}

  public Path qmpSocket() {
    return dir.resolve("qmp.sock");
  }

  public Path agentSocket() {
    return dir.resolve("agent.sock");
  }

  public Path log() {
    return dir.resolve("vmm.log");
  }

  public Path deviceState() {
    return dir.resolve("device.state");
  }
}

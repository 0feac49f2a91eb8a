package io.forkd.vmm;

import io.forkd.linux.Namespaces;
import io.forkd.linux.Spawn;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The place one VMM process lives in.
 *
 * @param name shown in the process list
 * @param dir sockets and log; the VMM gets them as open descriptors and cannot write here
 * @param scratch the only folder the VMM may write to; what lies there is not to be trusted
 * @param runAs who it runs as; empty means as we do
 * @param namespaces what it has apart from us; empty means nothing
 */
public record VmSite(
    String name,
    Path dir,
    Path scratch,
    Optional<Spawn.Identity> runAs,
    Optional<Namespaces> namespaces) {
  public VmSite(String name, Path dir, Path scratch, Optional<Spawn.Identity> runAs) {
    this(name, dir, scratch, runAs, Optional.empty());
  }

  public Path qmpSocket() {
    return dir.resolve("qmp.sock");
  }

  public Path agentSocket() {
    return dir.resolve("agent.sock");
  }

  /** Where a VMM sends its guest's memory, while it is asked to. */
  public Path streamSocket() {
    return dir.resolve("stream.sock");
  }

  public Path log() {
    return dir.resolve("vmm.log");
  }
}

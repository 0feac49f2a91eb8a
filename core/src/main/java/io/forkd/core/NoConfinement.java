package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import java.util.List;

/** For hosts where no cgroup can be made: sandboxes run, limits are refused. */
final class NoConfinement implements Confinement {
  private final String reason;

  NoConfinement(String reason) {
    this.reason = reason;
  }

  @Override
  public Cell of(SandboxId id) {
    return new OpenCell();
  }

  @Override
  public List<String> existing() {
    return List.of();
  }

  @Override
  public void destroy(String name) {}

  @Override
  public void close() {}

  private final class OpenCell implements Cell {
    @Override
    public String path() {
      return "";
    }

    @Override
    public void make() {}

    @Override
    public void add(long pid) {}

    @Override
    public void limitMemoryMib(int mib) {
      throw ForkdException.badRequest(
          "a memory limit cannot be kept on this host: %s. Fork without one, or see `forkd doctor`.",
          reason);
    }

    @Override
    public void destroy() {}
  }
}

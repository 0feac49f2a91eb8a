package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.Cgroups;
import java.util.List;

/** Makes the cell, a cgroup where the host has them, that each sandbox's VMM runs in. */
interface Confinement {
  Cell of(SandboxId id);

  /** Names of the cells there are, whoever made them. */
  List<String> existing();

  /** Ends whatever runs in a cell and removes it; fine when it is not there. */
  void destroy(String name);

  /** Removes what holds the cells, when there are none. */
  void close();

  static ForkdException cannotKeep(String what, String reason) {
    return ForkdException.badRequest(
        "%s cannot be kept on this host: %s. Fork without one, or see `forkd doctor`.",
        what, reason);
  }

  /** One sandbox's cell. */
  interface Cell {
    /** Where it is, for records and messages; empty when there is none. */
    String path();

    void make();

    void add(long pid);

    /**
     * Sets the limits that are given and puts the others back to what {@link #make} set.
     *
     * @throws ForkdException bad request when this host cannot keep one; conflict when the sandbox
     *     holds more memory than that already
     */
    void limit(Limits limits);

    /** What its members have used; nothing where the host does not count. */
    Cgroups.Stats stats();

    void destroy();
  }
}

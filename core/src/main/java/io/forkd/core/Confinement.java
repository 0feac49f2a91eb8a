package io.forkd.core;

import io.forkd.base.SandboxId;
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

  /** One sandbox's cell. */
  interface Cell {
    /** Where it is, for records and messages; empty when there is none. */
    String path();

    void make();

    void add(long pid);

    void limitMemoryMib(int mib);

    void destroy();
  }
}

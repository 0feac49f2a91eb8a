package io.forkd.core;

import io.forkd.base.Folders;
import io.forkd.base.SandboxId;
import io.forkd.vmm.VmSite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** One sandbox's place on the host. {@link #remove} undoes all of it, also when it is half made. */
final class Workplace {
  private final SandboxId id;
  private final int slot;
  private final VmSite site;
  private final Confinement.Cell cell;
  private final Runnable giveBackSlot;
  private final AtomicBoolean removed = new AtomicBoolean();

  Workplace(SandboxId id, int slot, VmSite site, Confinement.Cell cell, Runnable giveBackSlot) {
    this.id = id;
    this.slot = slot;
    this.site = site;
    this.cell = cell;
    this.giveBackSlot = giveBackSlot;
  }

  SandboxId id() {
    return id;
  }

  int slot() {
    return slot;
  }

  VmSite site() {
    return site;
  }

  Path dir() {
    return site.dir();
  }

  String cgroup() {
    return cell.path();
  }

  void confine() {
    cell.make();
  }

  /** Puts a process into the cell. */
  void admit(long pid) {
    cell.add(pid);
  }

  void limitMemory(Optional<Integer> mib) {
    mib.ifPresent(cell::limitMemoryMib);
  }

  void remove() {
    if (!removed.compareAndSet(false, true)) {
      return;
    }
    // An interrupt would stop the removal halfway, and nobody would do the rest.
    boolean interrupted = Thread.interrupted();
    try {
      boolean empty = attempt(cell::destroy);
      boolean gone = attempt(() -> Folders.deleteIfThere(site.dir()));
      if (empty && gone) {
        // Another may have the slot's user only when nothing of this one's is left.
        giveBackSlot.run();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private boolean attempt(Step step) {
    try {
      step.run();
      return true;
    } catch (IOException | RuntimeException e) {
      Log.CORE.warn("could not remove all of {}: {}", site.dir(), e.toString());
      return false;
    }
  }
}

package io.forkd.core;

import io.forkd.base.Folders;
import io.forkd.base.SandboxId;
import io.forkd.core.net.NetworkSlot;
import io.forkd.linux.Cgroups;
import io.forkd.linux.Fd;
import io.forkd.linux.HostFiles;
import io.forkd.linux.Namespaces;
import io.forkd.linux.Spawn;
import io.forkd.vmm.VmSite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

/** One sandbox's place on the host. {@link #remove} undoes all of it, also when it is half made. */
final class Workplace {
  private static final String GENERATION = "g";
  static final String SCRATCH = "vmm";

  private final SandboxId id;
  private final int slot;
  private final Path dir;
  private final Optional<Spawn.Identity> runAs;
  private final Confinement.Cell cell;
  private final Optional<NetworkSlot> network;
  private final Optional<Namespaces> apart;
  private final Runnable giveBackSlot;
  private final AtomicBoolean removed = new AtomicBoolean();

  Workplace(
      SandboxId id,
      int slot,
      Path dir,
      Optional<Spawn.Identity> runAs,
      Confinement.Cell cell,
      Optional<NetworkSlot> network,
      Optional<Namespaces> apart,
      Runnable giveBackSlot) {
    this.id = id;
    this.slot = slot;
    this.dir = dir;
    this.runAs = runAs;
    this.cell = cell;
    this.network = network;
    this.apart = apart;
    this.giveBackSlot = giveBackSlot;
  }

  SandboxId id() {
    return id;
  }

  int slot() {
    return slot;
  }

  Path dir() {
    return dir;
  }

  /**
   * Where a process of the sandbox lives.
   *
   * @param generation 0 for the first; each that replaces it has a folder of its own
   */
  VmSite site(int generation) {
    Path home = generation == 0 ? dir : dir.resolve(GENERATION + generation);
    return new VmSite(
        "forkd-" + id,
        home,
        home.resolve(SCRATCH),
        runAs,
        network.map(NetworkSlot::namespaces).or(() -> apart));
  }

  /** Makes the folders of a generation. */
  VmSite makeSite(int generation) {
    VmSite site = site(generation);
    if (generation > 0) {
      HostFiles.mkdir(site.dir(), 0711);
    }
    HostFiles.mkdir(site.scratch(), 0700);
    runAs.ifPresent(who -> HostFiles.chown(site.scratch(), who.uid(), who.gid()));
    return site;
  }

  /** Removes the folders of a generation whose process is gone. */
  void removeSite(int generation) {
    VmSite site = site(generation);
    if (generation > 0) {
      attempt(() -> Folders.deleteIfThere(site.dir()));
      return;
    }
    for (Path part :
        List.of(
            site.scratch(),
            site.qmpSocket(),
            site.agentSocket(),
            site.streamSocket(),
            site.log())) {
      attempt(() -> Folders.deleteIfThere(part));
    }
  }

  /** Removes what half-made or left generations have left, all but one. */
  void removeOtherSites(int kept) {
    try (Stream<Path> entries = Files.list(dir)) {
      entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.matches(GENERATION + "[0-9]{1,9}"))
          .map(name -> Integer.parseInt(name.substring(GENERATION.length())))
          .filter(generation -> generation != kept)
          .forEach(this::removeSite);
    } catch (IOException e) {
      Log.CORE.warn("could not look into {}: {}", dir, e.toString());
    }
    if (kept > 0) {
      removeSite(0);
    }
  }

  /** The sandbox's network, when it has one. */
  Optional<NetworkSlot> network() {
    return network;
  }

  /** Runs something with the VMM's end of the guest's wire, which the VMM gets a copy of. */
  <T> T withTap(Function<Optional<Fd>, T> work) {
    if (network.isEmpty()) {
      return work.apply(Optional.empty());
    }
    try (Fd tap = network.get().openTap()) {
      return work.apply(Optional.of(tap));
    }
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

  /** Sets the limits that are given and lifts the others, also while a process runs in it. */
  void limit(Limits limits) {
    cell.limit(limits);
  }

  Cgroups.Stats stats() {
    return cell.stats();
  }

  void remove() {
    if (!removed.compareAndSet(false, true)) {
      return;
    }
    // An interrupt would stop the removal halfway, and nobody would do the rest.
    boolean interrupted = Thread.interrupted();
    try {
      boolean empty = attempt(cell::destroy);
      network.ifPresent(slot -> attempt(slot::release));
      boolean gone = attempt(() -> Folders.deleteIfThere(dir));
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
      Log.CORE.warn("could not remove all of {}: {}", dir, e.toString());
      return false;
    }
  }
}

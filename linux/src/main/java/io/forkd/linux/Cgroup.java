package io.forkd.linux;

import io.forkd.linux.Cgroups.Controller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A group of processes with common limits; gone after {@link #destroy()}. */
public final class Cgroup {
  private static final int ATTEMPTS = 500;
  private static final int PAUSE_MILLIS = 10;

  private final String name;
  private final CgroupDialect dialect;
  private final CgroupDirs dirs;

  Cgroup(String name, CgroupDialect dialect, CgroupDirs dirs) {
    this.name = name;
    this.dialect = dialect;
    this.dirs = dirs;
  }

  public String name() {
    return name;
  }

  /** The controllers that hold in this group. */
  public Set<Controller> controllers() {
    return dirs.byController().keySet();
  }

  /** Makes a process and what it starts from now on a member. */
  public void add(long pid) {
    dirs.all().forEach(folder -> CgroupFile.write(folder.resolve("cgroup.procs"), "" + pid));
  }

  /**
   * Sets the limits that are given and lifts the others; those of controllers the group lacks are
   * left out.
   *
   * @throws LinuxException EBUSY when the members hold more memory than they may have from now on
   */
  public void limit(Cgroups.Limits limits) {
    dialect.limitMemory(dirs, limits.memoryBytes());
    dialect.limitCpus(dirs, limits.cpus());
    dialect.limitPids(dirs, limits.pidsMax());
    dialect.limitIo(dirs, limits.io());
  }

  /** The same, for a group known to have other limits: only what differs is set. */
  public void limit(Cgroups.Limits former, Cgroups.Limits limits) {
    if (!limits.memoryBytes().equals(former.memoryBytes())) {
      dialect.limitMemory(dirs, limits.memoryBytes());
    }
    if (!limits.cpus().equals(former.cpus())) {
      dialect.limitCpus(dirs, limits.cpus());
    }
    if (!limits.pidsMax().equals(former.pidsMax())) {
      dialect.limitPids(dirs, limits.pidsMax());
    }
    if (!limits.io().equals(former.io())) {
      dialect.limitIo(dirs, limits.io());
    }
  }

  Optional<Path> file(Controller controller, String fileName) {
    return dirs.file(controller, fileName);
  }

  public Cgroups.Stats stats() {
    return dialect.stats(dirs);
  }

  public List<Long> processes() {
    return dirs.all().stream()
        .flatMap(folder -> CgroupFile.processes(folder).stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** Kills every member and removes the group; removing one that is gone does nothing. */
  public void destroy() {
    dirs.all().stream()
        .flatMap(folder -> subgroups(folder).stream())
        .distinct()
        .forEach(child -> new Cgroup(child, dialect, dirs.child(child)).destroy());
    killAll();
    dirs.all().forEach(this::remove);
  }

  private void killAll() {
    for (int attempt = 0; !processes().isEmpty() && attempt < ATTEMPTS; attempt++) {
      if (!dialect.killAtOnce(dirs)) {
        // Frozen, so that nothing can be forked between the reading of the list and the kill.
        dialect.freeze(dirs, true);
        processes().forEach(this::kill);
        dialect.freeze(dirs, false);
      }
      pause();
    }
  }

  private void kill(long pid) {
    try (Fd pidfd = ProcessCalls.pidfdOpen(pid)) {
      // Asked again now that the pidfd holds the number: it may have been another process's.
      if (processes().contains(pid)) {
        ProcessCalls.tryPidfdSendSignal(pidfd.number(), Signal.KILL.number());
      }
    } catch (LinuxException e) {
      if (e.errno() != Errno.ESRCH) {
        throw e;
      }
    }
  }

  private void remove(Path folder) {
    int result = FileCalls.tryRmdir(folder.toString());
    // The kernel lets go of dead members a moment after they have left the list.
    for (int attempt = 0; -result == Errno.EBUSY.number() && attempt < ATTEMPTS; attempt++) {
      pause();
      result = FileCalls.tryRmdir(folder.toString());
    }
    if (result < 0 && -result != Errno.ENOENT.number()) {
      throw new LinuxException("rmdir", LinuxException.texts(folder), -result);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(
          "interrupted while a group of processes was being removed", e);
    }
  }

  static List<String> subgroups(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isDirectory).map(path -> path.getFileName().toString()).toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "cgroup " + dirs.all();
  }
}

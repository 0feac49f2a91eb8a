package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.net.NetworkSlot;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import io.forkd.linux.Spawn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The places on this host sandboxes live in: {@code <run>/sb/<id>/}, a slot's user, and a cgroup
 * each.
 */
final class Workplaces {
  /** Users nobody else has: far above what adduser, containers and systemd give out. */
  private static final int FIRST_UID = 1_879_048_192;

  /** Stands for a place whose slot nobody knows. */
  static final int NO_SLOT = -1;

  private static final int STICKY = 01000;
  private static final int OTHERS_MAY_WRITE = 02;

  private final Path root;
  private final Slots slots;
  private final boolean privileged;
  private final List<Integer> groups;
  private final Confinement confinement;
  private final Wiring wiring;

  /**
   * Prepares the folder of all places.
   *
   * @param privileged whether we may run VMMs as other users
   * @param groups what those users must belong to, such as the group that owns /dev/kvm
   */
  Workplaces(
      Path run,
      int mostSlots,
      boolean privileged,
      List<Integer> groups,
      Confinement confinement,
      Wiring wiring) {
    this.root = run.resolve("sb");
    this.slots = new Slots(mostSlots);
    this.privileged = privileged;
    this.groups = List.copyOf(groups);
    this.confinement = confinement;
    this.wiring = wiring;
    try {
      if (Files.exists(run)) {
        requireOurOwn(run);
      }
      // VMM users pass through these folders to reach their scratch folder, and read nothing.
      Files.createDirectories(root);
      HostFiles.chmod(run, 0711);
      HostFiles.chmod(root, 0711);
    } catch (IOException | LinuxException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "cannot prepare %s: %s".formatted(root, e.getMessage()), e);
    }
  }

  /** Makes a place, all of it or nothing. */
  Workplace make(SandboxId id) {
    int slot = slots.take();
    try {
      HostFiles.mkdir(dir(id), 0711);
    } catch (RuntimeException e) {
      giveBack(slot); // and nothing more: a folder that is there is another's
      throw e;
    }
    Workplace place;
    try {
      place = place(id, slot, wiring.take());
    } catch (RuntimeException e) {
      place(id, slot, Optional.empty()).remove();
      throw e;
    }
    try {
      place.makeSite(0);
      place.confine();
      return place;
    } catch (RuntimeException e) {
      place.remove();
      throw e;
    }
  }

  /** The place of a sandbox that an earlier daemon made. */
  Workplace retake(SandboxId id, int slot, Optional<NetworkSlot> network) {
    return place(id, slots.retake(slot) ? slot : NO_SLOT, network);
  }

  Wiring wiring() {
    return wiring;
  }

  Path root() {
    return root;
  }

  Path dir(SandboxId id) {
    return root.resolve(id.value());
  }

  /** The ids an earlier daemon left folders of. */
  List<SandboxId> existing() {
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(SandboxId::isValid)
          .map(SandboxId::of)
          .toList();
    } catch (IOException e) {
      throw new ForkdException(ErrorCode.HOST_FAILED, "cannot list " + root, e);
    }
  }

  private Workplace place(SandboxId id, int slot, Optional<NetworkSlot> network) {
    Path dir = dir(id);
    Optional<Spawn.Identity> runAs =
        privileged
            ? Optional.of(new Spawn.Identity(FIRST_UID + slot, FIRST_UID + slot, groups))
            : Optional.empty();
    return new Workplace(
        id, slot, dir, runAs, confinement.of(id), network, wiring.apart(), () -> giveBack(slot));
  }

  private void giveBack(int slot) {
    if (slot != NO_SLOT) {
      slots.giveBack(slot);
    }
  }

  /** The run folder's mode is changed, so it must not be one that others use, such as /tmp. */
  private static void requireOurOwn(Path run) throws IOException {
    int mode = (Integer) Files.getAttribute(run, "unix:mode");
    if ((mode & (STICKY | OTHERS_MAY_WRITE)) != 0 || run.getNameCount() < 2) {
      throw ForkdException.badRequest(
          "%s is a folder others use: set FORKD_RUN to one of forkd's own, such as %s.",
          run, run.resolve("forkd"));
    }
  }
}

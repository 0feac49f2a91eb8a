package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageDigest;
import io.forkd.linux.PageRange;
import io.forkd.linux.SparseCopy;
import io.forkd.store.DeltaFile;
import io.forkd.store.Manifest;
import io.forkd.store.StoredSnapshot;
import io.forkd.vmm.GuestRam;
import io.forkd.vmm.GuestShape;
import io.forkd.vmm.RestoreSpec;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.VmSite;
import io.forkd.vmm.Vmm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot made ready to fork: its memory in sealed memfds that children map privately. A sealed
 * memfd is what every supported QEMU can map without being able to change it; QEMU before 8.2 opens
 * memory files for writing even when it maps them privately.
 */
final class Template implements AutoCloseable {
  /**
   * A page that several deltas have is kept several times, and each delta is a descriptor of every
   * child.
   */
  private static final int DEEP = 8;

  private final Tag tag;
  private final String birth;
  private final Manifest about;
  private final LayerStack memory;
  private final byte[] deviceState;
  private volatile Path rootfsFile;
  private final Fd rootfs;

  private Template(
      Tag tag,
      String birth,
      Manifest about,
      LayerStack memory,
      byte[] deviceState,
      Path rootfsFile) {
    this.tag = tag;
    this.birth = birth;
    this.about = about;
    this.memory = memory;
    this.deviceState = deviceState;
    this.rootfsFile = rootfsFile;
    this.rootfs = StoredSnapshot.open(rootfsFile);
  }

  /**
   * Reads what of a chain is not in memory yet, verifying hashes on the way.
   *
   * @param chain the base first
   */
  static Template load(List<StoredSnapshot> chain, LayerPool pool) {
    chain.forEach(StoredSnapshot::checkFiles);
    StoredSnapshot snapshot = chain.getLast();
    Manifest manifest = snapshot.manifest();
    byte[] deviceState = readDeviceState(snapshot);
    List<Layer> layers = new ArrayList<>();
    try {
      for (StoredSnapshot link : chain) {
        layers.add(pool.acquire(link.manifest().contentHash(), () -> loadLayer(link)));
      }
      Template whole =
          new Template(
              manifest.tag(),
              manifest.birth(),
              manifest,
              new LayerStack(layers),
              deviceState,
              snapshot.rootfsFile());
      if (!whole.isDeep()) {
        return whole;
      }
      try (whole) {
        return whole.flattened();
      }
    } catch (RuntimeException e) {
      layers.forEach(Layer::release);
      throw e;
    }
  }

  /** The template of a branch just taken of a child of this one; takes over its layer. */
  Template branched(Tag branchTag, String branchBirth, Captured captured) {
    LayerStack stack = memory.plus(captured.delta());
    try {
      return new Template(branchTag, branchBirth, about, stack, captured.deviceState(), rootfsFile);
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  /** Whether it consists of more deltas than are worth keeping apart. */
  boolean isDeep() {
    return memory.deltas().size() > DEEP;
  }

  /** The same with all deltas merged into one; shares the base only. */
  Template flattened() {
    return new Template(tag, birth, about, memory.flattened(tag), deviceState, rootfsFile);
  }

  boolean isBranch() {
    return !memory.deltas().isEmpty();
  }

  private static Layer loadLayer(StoredSnapshot link) {
    Manifest manifest = link.manifest();
    long bytes = manifest.memory().logicalBytes();
    Memfd memory = Memfd.create(GuestRam.NAME + manifest.tag(), bytes);
    try {
      if (manifest.isDelta()) {
        List<PageRange> ranges =
            DeltaFile.load(link.memoryFile(), bytes, manifest.memory().sha256(), memory);
        return Layer.sealing(memory, ranges);
      }
      try (Fd file = StoredSnapshot.open(link.memoryFile())) {
        PageDigest digest = new PageDigest();
        SparseCopy.copy(file, memory.fd(), digest);
        requireSame(link, link.memoryFile(), manifest.memory().sha256(), digest.finish());
      }
      return Layer.sealing(memory, List.of(new PageRange(0, bytes)));
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  private static byte[] readDeviceState(StoredSnapshot snapshot) {
    try (Fd file = StoredSnapshot.open(snapshot.deviceStateFile())) {
      Manifest.StateFile expected = snapshot.manifest().deviceState();
      requireSame(snapshot, snapshot.deviceStateFile(), expected.sha256(), PageDigest.of(file));
      return FileIo.read(file, 0, Math.toIntExact(expected.bytes()));
    }
  }

  private static void requireSame(
      StoredSnapshot snapshot, Path file, String expected, String found) {
    if (!found.equals(expected)) {
      Tag tag = snapshot.manifest().tag();
      throw ForkdException.conflict(
          "snapshot %s cannot be restored: %s has changed since it was made (hash %.12s, expected"
              + " %.12s). Remove it with `forkd rmi %s` and make it anew.",
          tag, file, found, expected, tag);
    }
  }

  Tag tag() {
    return tag;
  }

  /** Tells it apart from another snapshot that had or will have the same tag. */
  String birth() {
    return birth;
  }

  /** The manifest of the nearest snapshot on disk: all that does not change along a chain. */
  Manifest about() {
    return about;
  }

  GuestShape shape() {
    return new GuestShape(about.guest().memoryMib(), about.guest().vcpus());
  }

  Optional<String> rehearsal() {
    return about.rehearsal();
  }

  byte[] deviceState() {
    return deviceState;
  }

  LayerStack memory() {
    return memory;
  }

  /** Its own snapshot is on disk, and with it a disk that no other's removal takes away. */
  void settle(StoredSnapshot own) {
    rootfsFile = own.rootfsFile();
  }

  Path rootfsFile() {
    return rootfsFile;
  }

  /** What a restored child of this template has cost so far. */
  RestoredCost costOf(long pid) {
    return RestoredCost.of(pid, GuestRam.NAME);
  }

  /** Starts a child: its memory is final, its devices are not loaded yet. */
  VirtualMachine restore(Vmm vmm, VmSite site, Optional<Fd> tap, boolean trackWrites) {
    // Each child reads the device state from a file of its own, because the position in an open
    // file is shared by all who have it.
    try (Memfd state = DeviceStates.inMemory(deviceState)) {
      return vmm.restore(
          new RestoreSpec(
              site,
              shape(),
              rootfs,
              memory.base().fd(),
              state.fd(),
              memory.overlay(),
              tap,
              trackWrites));
    }
  }

  @Override
  public void close() {
    memory.close();
    rootfs.close();
  }
}

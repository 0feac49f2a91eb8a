package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageDigest;
import io.forkd.linux.SparseCopy;
import io.forkd.store.Manifest;
import io.forkd.store.StoredSnapshot;
import io.forkd.vmm.GuestShape;
import io.forkd.vmm.RestoreSpec;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.VmSite;
import io.forkd.vmm.Vmm;
import java.nio.file.Path;

/**
 * A snapshot made ready to fork: its memory in a sealed memfd that children map privately. A sealed
 * memfd is what every supported QEMU can map without being able to change it; QEMU before 8.2 opens
 * memory files for writing even when it maps them privately.
 */
final class Template implements AutoCloseable {
  private final StoredSnapshot snapshot;
  private final Memfd memory;
  private final Fd rootfs;

  private Template(StoredSnapshot snapshot, Memfd memory, Fd rootfs) {
    this.snapshot = snapshot;
    this.memory = memory;
    this.rootfs = rootfs;
  }

  /** Reads the memory image, verifying its hash on the way. */
  static Template load(StoredSnapshot snapshot) {
    snapshot.checkFiles();
    Manifest manifest = snapshot.manifest();
    Memfd memory = Memfd.create(memoryName(manifest), manifest.memory().logicalBytes());
    try (Fd file = StoredSnapshot.open(snapshot.memoryFile())) {
      PageDigest digest = new PageDigest();
      SparseCopy.copy(file, memory.fd(), digest);
      requireSame(snapshot, snapshot.memoryFile(), manifest.memory().sha256(), digest.finish());
      checkDeviceState(snapshot);
      memory.seal();
      return new Template(snapshot, memory, StoredSnapshot.open(snapshot.rootfsFile()));
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  private static void checkDeviceState(StoredSnapshot snapshot) {
    try (Fd file = StoredSnapshot.open(snapshot.deviceStateFile())) {
      requireSame(
          snapshot,
          snapshot.deviceStateFile(),
          snapshot.manifest().deviceState().sha256(),
          PageDigest.of(file));
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

  private static String memoryName(Manifest manifest) {
    return "forkd-" + manifest.tag();
  }

  /** What a restored child of this template has cost so far. */
  RestoredCost costOf(long pid) {
    return RestoredCost.of(pid, memoryName(manifest()));
  }

  Manifest manifest() {
    return snapshot.manifest();
  }

  GuestShape shape() {
    return new GuestShape(manifest().guest().memoryMib(), manifest().guest().vcpus());
  }

  /** Starts a child: its memory is final, its devices are not loaded yet. */
  VirtualMachine restore(Vmm vmm, VmSite site) {
    // Each child reads the device state through an open file of its own, because the position in
    // an open file is shared by all who have it.
    try (Fd deviceState = StoredSnapshot.open(snapshot.deviceStateFile())) {
      return vmm.restore(new RestoreSpec(site, shape(), rootfs, memory.fd(), deviceState));
    }
  }

  @Override
  public void close() {
    memory.close();
    rootfs.close();
  }
}

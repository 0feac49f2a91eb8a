package io.forkd.store;

import io.forkd.base.ForkdException;
import io.forkd.linux.Fd;
import io.forkd.linux.HostFiles;
import io.forkd.linux.OpenFlag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** A snapshot on disk: immutable, whole, and in one folder. */
public record StoredSnapshot(Path dir, Manifest manifest) {
  public Path memoryFile() {
    return dir.resolve(manifest.memory().file());
  }

  public Path deviceStateFile() {
    return dir.resolve(manifest.deviceState().file());
  }

  public Path rootfsFile() {
    return dir.resolve(manifest.rootfs().file());
  }

  /** When its manifest was written, finer than the second it tells. */
  FileTime writtenAt() {
    try {
      return Files.getLastModifiedTime(dir.resolve(ManifestFile.NAME));
    } catch (IOException e) {
      return FileTime.fromMillis(0); // removed meanwhile
    }
  }

  /** Refuses when a file is missing or not of the size the manifest says, naming it. */
  public void checkFiles() {
    Manifest.MemoryLayer memory = manifest.memory();
    checkSize(memoryFile(), manifest.isDelta() ? memory.physicalBytes() : memory.logicalBytes());
    checkSize(deviceStateFile(), manifest.deviceState().bytes());
    checkSize(rootfsFile(), manifest.rootfs().bytes());
  }

  /** Refuses when this snapshot was made by another monitor, machine or architecture than ours. */
  public void checkRestorableOn(Manifest.Vmm here) {
    Manifest.Vmm there = manifest.vmm();
    if (!there.fits(here)) {
      throw ForkdException.conflict(
          "snapshot %s was made by %s and cannot be restored by %s: VMM, version, architecture,"
              + " machine, CPU and clock must be the same. Make it anew on this host.",
          manifest.tag(), describe(there), describe(here));
    }
  }

  public static Fd open(Path file) {
    return HostFiles.open(file, OpenFlag.READ);
  }

  private static String describe(Manifest.Vmm vmm) {
    return "%s %s (%s, %s, cpu %s%s)"
        .formatted(
            vmm.name(),
            vmm.version(),
            vmm.arch(),
            vmm.machine(),
            vmm.cpu(),
            vmm.tscKhz() == 0 ? "" : ", TSC %d MHz".formatted(vmm.tscKhz() / 1000));
  }

  private void checkSize(Path file, long expected) {
    long found;
    try {
      found = Files.size(file);
    } catch (IOException e) {
      throw ForkdException.conflict(
          "snapshot %s cannot be restored: %s is missing. Remove it with `forkd rmi %s` and make it"
              + " anew.",
          manifest.tag(), file, manifest.tag());
    }
    if (found != expected) {
      throw ForkdException.conflict(
          "snapshot %s cannot be restored: %s has %d bytes instead of %d. Remove it with `forkd rmi"
              + " %s` and make it anew.",
          manifest.tag(), file, found, expected, manifest.tag());
    }
  }
}

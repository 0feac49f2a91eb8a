package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.linux.Arch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;

/**
 * How guest code runs on this host: with KVM, or by emulation.
 *
 * @param reason why this one was chosen, for people
 */
record Accelerator(boolean kvm, String reason) {
  static final Path DEVICE = Path.of("/dev/kvm");

  private static final Set<PosixFilePermission> GROUP_ACCESS =
      Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE);

  /** Chooses by what the host has, unless {@code FORKD_ACCEL} says {@code kvm} or {@code tcg}. */
  static Accelerator choose(Map<String, String> env, boolean privileged) {
    String wanted = env.getOrDefault("FORKD_ACCEL", "auto");
    return switch (wanted) {
      case "auto", "" -> detect(privileged);
      case "kvm" -> new Accelerator(true, "FORKD_ACCEL=kvm");
      case "tcg" -> emulation("FORKD_ACCEL=tcg");
      default ->
          throw ForkdException.badRequest(
              "FORKD_ACCEL is '%s': use kvm, tcg or auto.", Printable.shorten(wanted));
    };
  }

  private static Accelerator detect(boolean privileged) {
    if (!Files.exists(DEVICE)) {
      return emulation("there is no /dev/kvm");
    }
    if (!Files.isReadable(DEVICE) || !Files.isWritable(DEVICE)) {
      return emulation("/dev/kvm may not be opened by this user");
    }
    if (!cpuVirtualizes()) {
      return emulation(
          "/dev/kvm is there, but the CPU has neither VMX nor SVM: such a KVM (PVM) runs only"
              + " kernels built for it");
    }
    if (privileged && !groupMayUse()) {
      return emulation(
          "/dev/kvm is for its owner only, and VMMs do not run as root: chgrp kvm /dev/kvm && chmod"
              + " 660 /dev/kvm");
    }
    return new Accelerator(true, "/dev/kvm works");
  }

  private static Accelerator emulation(String reason) {
    return new Accelerator(false, reason);
  }

  private static boolean cpuVirtualizes() {
    if (Arch.host() == Arch.AARCH64) {
      return true;
    }
    try {
      return Files.readString(Path.of("/proc/cpuinfo"))
          .lines()
          .filter(line -> line.startsWith("flags"))
          .anyMatch(line -> line.matches(".*\\b(vmx|svm)\\b.*"));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean groupMayUse() {
    try {
      return Files.getPosixFilePermissions(DEVICE).containsAll(GROUP_ACCESS);
    } catch (IOException e) {
      return false;
    }
  }
}

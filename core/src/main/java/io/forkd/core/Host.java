package io.forkd.core;

import io.forkd.base.Locations;
import io.forkd.linux.Arch;
import io.forkd.linux.Cgroups;
import io.forkd.linux.Disks;
import io.forkd.linux.HostInfo;
import io.forkd.linux.TscFrequency;
import io.forkd.vmm.QemuVmm;
import io.forkd.vmm.Vmm;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What this host is and can do.
 *
 * @param privileged whether we may start processes as other users and make cgroups
 */
record Host(String arch, int cores, boolean privileged, Accelerator accelerator) {
  private static final int TRANSLATION_CACHE_MIB = 64;

  /** Room for the same code where QEMU puts each translated block into pages of its own. */
  private static final int PADDED_TRANSLATION_CACHE_MIB = 128;

  private static final int PADDING_CACHE_LINE = 4096;

  static Host detect() {
    boolean root = HostInfo.isRoot();
    return new Host(
        Arch.host().name().toLowerCase(Locale.ROOT),
        Runtime.getRuntime().availableProcessors(),
        root,
        Accelerator.choose(System.getenv(), root));
  }

  Vmm openVmm() {
    Log.CORE.info(
        "guests run {}: {}", accelerator.kvm() ? "on KVM" : "by emulation", accelerator.reason());
    return QemuVmm.open(arch, accelerator.kvm(), tscKhz(), translationCacheMib());
  }

  /**
   * QEMU aligns translated blocks to the instruction cache line. An erratum of the Neoverse N1
   * makes that look like 4096 bytes, and in a cache of the usual size blocks would then evict each
   * other.
   */
  private static int translationCacheMib() {
    boolean padded = HostInfo.instructionCacheLine().orElse(0) >= PADDING_CACHE_LINE;
    return padded ? PADDED_TRANSLATION_CACHE_MIB : TRANSLATION_CACHE_MIB;
  }

  Confinement openConfinement(Locations locations) {
    if (!privileged) {
      return new NoConfinement("forkd does not run as root");
    }
    return switch (Cgroups.open(locations.groupName(), locations.run().resolve("cgroup"))) {
      case Cgroups.Opening.Ready(Cgroups cgroups) ->
          new CgroupConfinement(cgroups, Disks.behind(locations.data()));
      case Cgroups.Opening.Unavailable(String reason) -> new NoConfinement(reason);
    };
  }

  /** The groups a VMM must belong to: the owner of /dev/kvm, where there is one. */
  List<Integer> vmmGroups() {
    if (!accelerator.kvm()) {
      return List.of();
    }
    try {
      return List.of((Integer) Files.getAttribute(Accelerator.DEVICE, "unix:gid"));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Only an exact frequency will do: a guest told a wrong one keeps wrong time. */
  private static OptionalLong tscKhz() {
    return TscFrequency.read()
        .filter(tsc -> tsc.source() != TscFrequency.Source.CPUINFO)
        .map(tsc -> OptionalLong.of(tsc.kilohertz()))
        .orElse(OptionalLong.empty());
  }
}

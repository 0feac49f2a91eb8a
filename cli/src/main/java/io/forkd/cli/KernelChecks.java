package io.forkd.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kernel features that forking, limiting and isolating rest on. */
final class KernelChecks {
  private final HostProbes probes;

  private KernelChecks(HostProbes probes) {
    this.probes = probes;
  }

  static List<Check> of(HostProbes probes) {
    KernelChecks checks = new KernelChecks(probes);
    return List.of(
        new Check("cgroup", KernelChecks::cgroup),
        new Check("delegation", KernelChecks::delegation),
        new Check("namespaces", KernelChecks::namespaces),
        new Check("userfaultfd", checks::userfaultfd),
        new Check("wp-async", checks::writeProtectAsync),
        new Check("pagemap-scan", checks::pagemapScan),
        new Check("memfd", checks::memfd),
        new Check("hugepages", KernelChecks::hugepages));
  }

  private static Optional<Path> memoryCgroup() {
    if (Files.exists(Path.of("/sys/fs/cgroup/cgroup.controllers"))) {
      return Optional.of(Path.of("/sys/fs/cgroup"));
    }
    return Optional.of(Path.of("/sys/fs/cgroup/memory")).filter(Files::isDirectory);
  }

  private static Finding cgroup() {
    if (Files.exists(Path.of("/sys/fs/cgroup/cgroup.controllers"))) {
      String controllers = Host.read("/sys/fs/cgroup/cgroup.controllers").orElse("");
      return List.of(controllers.split(" ")).contains("memory")
          ? Finding.ok("v2 with " + controllers, "memory limits work")
          : Finding.warn(
              "v2 without the memory controller",
              "no memory limits",
              "boot with cgroup_enable=memory");
    }
    return memoryCgroup().isPresent()
        ? Finding.ok("v1 with memory", "memory limits work")
        : Finding.warn(
            "no memory cgroup is mounted", "no memory limits", "mount cgroup2 on /sys/fs/cgroup");
  }

  private static Finding delegation() {
    Optional<Path> root = memoryCgroup();
    if (root.isPresent() && Files.isWritable(root.get())) {
      return Finding.ok(root.get() + " can be written", "a cgroup per sandbox");
    }
    return Finding.warn(
        root.map(path -> path + " cannot be written").orElse("no memory cgroup"),
        "sandboxes run without memory limits",
        "run as root, or start the daemon by systemd with Delegate=yes");
  }

  private static Finding namespaces() {
    Host.Output output = Host.run(List.of("unshare", "--net", "--mount", "true"));
    if (output.ok()) {
      return Finding.ok(
          "network and mount namespaces can be made", "sandboxes can be isolated on the host");
    }
    boolean asUser = Host.run(List.of("unshare", "--user", "--net", "true")).ok();
    return Finding.warn(
        asUser ? "only inside a user namespace" : output.text().strip(),
        "the VMM runs without a network namespace of its own",
        asUser
            ? "run as root"
            : "run as root with CAP_SYS_ADMIN, or set kernel.unprivileged_userns_clone=1");
  }

  private Finding userfaultfd() {
    HostProbes.Probe probe = probes.userfaultfd();
    return probe.works()
        ? Finding.ok(probe.detail(), "live branches are possible")
        : Finding.warn(
            probe.detail(), "branches pause longer", "use a kernel with CONFIG_USERFAULTFD");
  }

  private Finding writeProtectAsync() {
    HostProbes.Probe probe = probes.writeProtectAsync();
    return probe.works()
        ? Finding.ok(probe.detail(), "live branches pause for milliseconds")
        : Finding.warn(
            probe.detail(), "branches pause while dirty pages are copied", "upgrade the kernel");
  }

  private Finding pagemapScan() {
    HostProbes.Probe probe = probes.pagemapScan();
    return probe.works()
        ? Finding.ok(probe.detail(), "dirty pages are found in one call")
        : Finding.warn(
            probe.detail(),
            "dirty pages are found by reading /proc/PID/pagemap",
            "upgrade the kernel");
  }

  private Finding memfd() {
    HostProbes.Probe probe = probes.memfd();
    return probe.works()
        ? Finding.ok(probe.detail(), "memory images can be kept in sealed memory")
        : Finding.warn(probe.detail(), "memory images are kept in files", "upgrade the kernel");
  }

  private static Finding hugepages() {
    String info = Host.read("/proc/meminfo").orElse("");
    Matcher total = Pattern.compile("HugePages_Total:\\s+([0-9]+)").matcher(info);
    String reserved = total.find() ? total.group(1) : "0";
    String transparent =
        Host.read("/sys/kernel/mm/transparent_hugepage/enabled").orElse("not in this kernel");
    return Finding.ok(
        "%s reserved, transparent: %s".formatted(reserved, transparent),
        "not needed: copy-on-write of 4 KiB pages keeps children small");
  }
}

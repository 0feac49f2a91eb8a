package io.forkd.cli;

import io.forkd.linux.Probes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Kernel features that forking, limiting and isolating rest on. */
final class KernelChecks {
  private KernelChecks() {}

  static List<Check> of() {
    return List.of(
        new Check("cgroup", KernelChecks::cgroup),
        new Check("delegation", KernelChecks::delegation),
        new Check("namespaces", KernelChecks::namespaces),
        new Check(
            "userfaultfd",
            () ->
                Finding.of(
                    HostProbes.userfaultfd(),
                    "live branches are possible",
                    "branches pause longer",
                    "use a kernel with CONFIG_USERFAULTFD")),
        new Check(
            "wp-async",
            () ->
                Finding.of(
                    HostProbes.writeProtectAsync(),
                    "live branches pause for milliseconds",
                    "branches pause while dirty pages are copied",
                    "use kernel 6.7 or newer (aarch64: 6.10)")),
        new Check(
            "pagemap-scan",
            () ->
                Finding.of(
                    Probes.pagemapScan(),
                    "dirty pages are found in one call",
                    "dirty pages are found by reading /proc/PID/pagemap",
                    "use kernel 6.7 or newer")),
        new Check(
            "memfd",
            () ->
                Finding.of(
                    Probes.memfdSealing(),
                    "memory images can be kept in sealed memory",
                    "memory images are kept in files",
                    "use a kernel with CONFIG_MEMFD_CREATE")),
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
    return Finding.of(
        Probes.namespaces(),
        "sandboxes can be isolated on the host",
        "the VMM runs without namespaces of its own",
        "run as root with CAP_SYS_ADMIN");
  }

  private static Finding hugepages() {
    Probes.HugePages pages = Probes.hugePages();
    return Finding.ok(
        "%d of %d reserved ones free, transparent: %s"
            .formatted(
                pages.free(), pages.total(), pages.transparent().orElse("not in this kernel")),
        "not needed: copy-on-write of small pages keeps children small");
  }
}

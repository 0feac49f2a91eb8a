package io.forkd.cli;

import io.forkd.linux.Probe;
import io.forkd.linux.Probes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Kernel features that forking, limiting and isolating rest on. */
final class KernelChecks {
  private static final String FOR_LIVE = "needed for live branches";

  private KernelChecks() {}

  static List<Check> of() {
    return List.of(
        new Check("delegation", KernelChecks::delegation),
        new Check("namespaces", KernelChecks::namespaces),
        forLive("userfaultfd", HostProbes::userfaultfd, "use a kernel with CONFIG_USERFAULTFD"),
        forLive(
            "wp-async", HostProbes::writeProtectAsync, "use kernel 6.7 or newer (aarch64: 6.10)"),
        forLive("pagemap-scan", Probes::pagemapScan, "use kernel 6.7 or newer (aarch64: 6.10)"),
        new Check("memfd", KernelChecks::memfd),
        new Check("hugepages", KernelChecks::hugepages));
  }

  private static Check forLive(String name, Supplier<Probe> probe, String fix) {
    return new Check(
        name,
        () -> Finding.of(probe.get(), FOR_LIVE, FOR_LIVE + "; branches by diff work without", fix));
  }

  private static Optional<Path> memoryCgroup() {
    if (Files.exists(Path.of("/sys/fs/cgroup/cgroup.controllers"))) {
      return Optional.of(Path.of("/sys/fs/cgroup"));
    }
    return Optional.of(Path.of("/sys/fs/cgroup/memory")).filter(Files::isDirectory);
  }

  private static Finding delegation() {
    Optional<Path> root = memoryCgroup();
    if (root.isPresent() && Files.isWritable(root.get())) {
      return Finding.ok(root.get() + " can be written", "a cgroup per sandbox");
    }
    return Finding.warn(
        root.map(path -> path + " cannot be written").orElse("no memory cgroup"),
        "limits are refused; sandboxes run without",
        "run as root, or start the daemon by systemd with Delegate=yes");
  }

  private static Finding namespaces() {
    return Finding.of(
        Probes.namespaces(),
        "images are built in namespaces of their own; VMMs have none yet",
        "images are built in the host's namespaces; VMMs have none of their own yet",
        "run as root with CAP_SYS_ADMIN");
  }

  private static Finding memfd() {
    Probe probe = Probes.memfdSealing();
    return probe.works()
        ? Finding.ok(probe.reason(), "children share their parent's memory")
        : Finding.fail(
            probe.reason(),
            "no snapshot can be made or forked",
            "use a kernel with CONFIG_MEMFD_CREATE");
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

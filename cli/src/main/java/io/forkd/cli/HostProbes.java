package io.forkd.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Kernel features that only a system call can prove. Until the linux module offers probes, the
 * kernel's version and /proc stand in for the calls, and the findings say so.
 */
final class HostProbes {
  /** Whether something works, and how that is known. */
  record Probe(boolean works, String detail) {}

  Probe userfaultfd() {
    boolean there = Files.exists(Path.of("/proc/sys/vm/unprivileged_userfaultfd"));
    return new Probe(
        there, there ? "/proc/sys/vm/unprivileged_userfaultfd is there" : "not in this kernel");
  }

  Probe writeProtectAsync() {
    return byVersion(6, Host.arch().equals("aarch64") ? 10 : 7);
  }

  Probe pagemapScan() {
    return byVersion(6, 7);
  }

  Probe memfd() {
    return byVersion(3, 17);
  }

  Probe reflink(Path folder) {
    Path existing = Host.existing(folder);
    Path from = existing.resolve(".forkd-reflink-" + ProcessHandle.current().pid());
    Path to = existing.resolve(from.getFileName() + ".copy");
    Host.Output made = Host.run(List.of("dd", "if=/dev/zero", "of=" + from, "bs=4096", "count=1"));
    Host.Output cloned =
        Host.run(List.of("cp", "--reflink=always", "--", from.toString(), to.toString()));
    Host.run(List.of("rm", "-f", "--", from.toString(), to.toString()));
    return new Probe(made.ok() && cloned.ok(), "tried in " + existing);
  }

  static boolean kernelAtLeast(int major, int minor) {
    String[] parts = System.getProperty("os.version", "0.0").split("[^0-9]+", 3);
    int foundMajor = Integer.parseInt(parts[0]);
    int foundMinor = parts.length > 1 && !parts[1].isEmpty() ? Integer.parseInt(parts[1]) : 0;
    return foundMajor > major || (foundMajor == major && foundMinor >= minor);
  }

  private static Probe byVersion(int major, int minor) {
    return new Probe(
        kernelAtLeast(major, minor),
        "kernel %s, needs %d.%d (judged by version)"
            .formatted(System.getProperty("os.version"), major, minor));
  }
}

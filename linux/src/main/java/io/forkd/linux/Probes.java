package io.forkd.linux;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What this host offers, each found out by trying it; nothing tried stays behind. */
public final class Probes {
  private static final long KVM_GET_API_VERSION = 0xae00;
  private static final int KVM_API_VERSION = 12;

  private Probes() {}

  /** Whether virtual machines can run in hardware. */
  public static Probe kvm() {
    Path device = Path.of("/dev/kvm");
    if (!Files.exists(device)) {
      return Probe.no("there is no /dev/kvm");
    }
    try (Fd kvm = HostFiles.open(device, OpenFlag.READ_WRITE)) {
      int version = FileCalls.tryIoctl(kvm.number(), KVM_GET_API_VERSION, 0);
      return version == KVM_API_VERSION
          ? Probe.yes("/dev/kvm, API version 12")
          : Probe.no("/dev/kvm answers %d where API version 12 was expected".formatted(version));
    } catch (LinuxException e) {
      return Probe.no(e);
    }
  }

  /**
   * What userfaultfd can do here.
   *
   * @param kernelFaults whether faults inside system calls are handled too (needs privilege)
   */
  public record UserfaultfdSupport(
      boolean available, boolean kernelFaults, Set<Userfaultfd.Feature> features, String reason) {
    public UserfaultfdSupport {
      features = Set.copyOf(features);
    }
  }

  public static UserfaultfdSupport userfaultfd() {
    try {
      return userfaultfd(false);
    } catch (LinuxException privileged) {
      try {
        return userfaultfd(true);
      } catch (LinuxException e) {
        return new UserfaultfdSupport(false, false, Set.of(), e.getMessage());
      }
    }
  }

  private static UserfaultfdSupport userfaultfd(boolean userModeOnly) {
    try (Userfaultfd faults = Userfaultfd.create(userModeOnly)) {
      Set<Userfaultfd.Feature> features = faults.enable(Set.of());
      String found = userModeOnly ? "for faults in user mode only" : "for all faults";
      return new UserfaultfdSupport(true, !userModeOnly, features, found);
    }
  }

  /** Whether the kernel tells in one call which pages were written (6.7, aarch64 6.10). */
  public static Probe pagemapScan() {
    long page = ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);
    try (Mapping mapping = Mapping.anonymous(4 * page);
        PageMap pagemap = PageMap.open(ProcessHandle.current().pid())) {
      mapping.write(page, new byte[] {1});
      List<PageRange> found =
          pagemap.scan(
              MemoryArea.of(mapping), new PageMap.Query(0, PageMap.PRESENT, PageMap.FILE, 0));
      return found.contains(new PageRange(page, page))
          ? Probe.yes("PAGEMAP_SCAN works")
          : Probe.no("PAGEMAP_SCAN found %s where page 1 was written".formatted(found));
    } catch (LinuxException e) {
      return Probe.no(e);
    }
  }

  /** Whether memory can be frozen against every change. */
  public static Probe memfdSealing() {
    try (Memfd memfd = Memfd.create("forkd-probe", PageScan.PAGE)) {
      memfd.seal();
      Set<Memfd.Seal> wanted =
          EnumSet.of(Memfd.Seal.WRITE, Memfd.Seal.GROW, Memfd.Seal.SHRINK, Memfd.Seal.SEAL);
      return memfd.seals().containsAll(wanted)
          ? Probe.yes("memfd with seals")
          : Probe.no("the seals read back are %s".formatted(memfd.seals()));
    } catch (LinuxException e) {
      return Probe.no(e);
    }
  }

  /**
   * The host's large pages.
   *
   * @param transparent always, madvise or never
   */
  public record HugePages(long total, long free, long pageBytes, Optional<String> transparent) {}

  public static HugePages hugePages() {
    MemInfo info = MemInfo.read();
    Optional<String> mode =
        ProcFile.read(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))
            .map(text -> text.replaceAll("(?s).*\\[(.*)\\].*", "$1"));
    return new HugePages(info.hugePagesTotal(), info.hugePagesFree(), info.hugePageSize(), mode);
  }

  /** Whether processes can be given their own network, mounts and process numbers. */
  public static Probe namespaces() {
    List<String> failures = new ArrayList<>();
    for (String kind : List.of("net", "mount", "pid")) {
      Optional<CommandOutput> output =
          CommandOutput.of("unshare", "--" + kind, "--fork", "/bin/true");
      if (output.isEmpty()) {
        return Probe.no("unshare is missing: install util-linux");
      }
      if (!output.get().success()) {
        failures.add("%s: %s".formatted(kind, output.get().firstLine()));
      }
    }
    return failures.isEmpty()
        ? Probe.yes("network, mount and process namespaces can be made")
        : Probe.no(String.join("; ", failures));
  }

  /** Whether firewall rules can be read, which takes the same rights as making them. */
  public static Probe nftables() {
    Optional<CommandOutput> output = CommandOutput.of("nft", "list", "ruleset");
    if (output.isEmpty()) {
      return Probe.no("nft is missing: install nftables");
    }
    return output.get().success()
        ? Probe.yes("nft list ruleset works")
        : Probe.no("nft list ruleset: " + output.get().firstLine());
  }

  /** Whether the kernel passes packets on between interfaces. */
  public static Probe ipForward() {
    String value = setting("/proc/sys/net/ipv4/ip_forward").orElse("missing");
    return new Probe(value.equals("1"), "net.ipv4.ip_forward is " + value);
  }

  /** Whether this process may trace processes of other users. */
  public static Probe ptrace() {
    Optional<String> scope = setting("/proc/sys/kernel/yama/ptrace_scope");
    if (scope.isEmpty()) {
      return Probe.yes("no yama: any process of the same user can be traced");
    }
    boolean allowed = !scope.get().equals("3") && (scope.get().equals("0") || isRoot());
    return new Probe(allowed, "kernel.yama.ptrace_scope is " + scope.get());
  }

  /**
   * Whether a running sandbox can be branched with a pause that does not grow with what it wrote.
   */
  public static Probe liveBranch() {
    return LiveBranchProbe.run();
  }

  static Optional<String> setting(String path) {
    return ProcFile.read(Path.of(path)).map(String::strip);
  }

  static boolean isRoot() {
    return setting("/proc/self/status")
        .map(status -> status.matches("(?s).*\\nUid:\\s+\\d+\\s+0\\s.*"))
        .orElse(false);
  }
}

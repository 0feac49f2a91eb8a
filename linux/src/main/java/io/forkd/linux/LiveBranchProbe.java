package io.forkd.linux;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Tries all that a live BRANCH needs of the kernel, on memory and a process of our own. */
final class LiveBranchProbe {
  private static final int PAGES = 8;
  private static final long PAGE = ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  private LiveBranchProbe() {}

  static Probe run() {
    Probe ptrace = Probes.ptrace();
    if (!ptrace.works()) {
      return ptrace;
    }
    Probe tracking = trying("write tracking", LiveBranchProbe::writeTracking);
    return tracking.works() ? trying("a remote call", LiveBranchProbe::remoteCall) : tracking;
  }

  private static Probe trying(String what, Supplier<Probe> probe) {
    try {
      return probe.get();
    } catch (LinuxException | UnsupportedOperationException | IllegalStateException e) {
      return Probe.no("%s: %s".formatted(what, e.getMessage()));
    }
  }

  /** Owns a page of a private memfd mapping, protects it, writes it and one more. */
  private static Probe writeTracking() {
    long size = PAGES * PAGE;
    try (Memfd memfd = Memfd.create("forkd-probe", size);
        Mapping memory = Mapping.copyOnWrite(memfd.fd(), 0, size);
        Userfaultfd faults = Userfaultfd.create(true);
        PageMap pagemap = PageMap.open(ProcessHandle.current().pid())) {
      MemoryArea area = MemoryArea.of(memory);
      faults.enableWriteTracking();
      faults.registerForWriteProtection(area);
      List<PageRange> wanted =
          List.of(new PageRange(2 * PAGE, PAGE), new PageRange(5 * PAGE, PAGE));
      memory.write(2 * PAGE, new byte[] {1});
      memory.write(3 * PAGE, new byte[] {1});
      pagemap.writtenSinceProtected(area, true);
      wanted.forEach(page -> memory.write(page.offset(), new byte[] {2}));
      List<PageRange> found = pagemap.writtenSinceProtected(area, false);
      return found.equals(wanted)
          ? Probe.yes("written pages are told exactly")
          : Probe.no("written were %s, but the kernel tells %s".formatted(wanted, found));
    }
  }

  private static Probe remoteCall() {
    Path sleep =
        Spawn.find("sleep")
            .orElseThrow(() -> new UnsupportedOperationException("sleep: install coreutils"));
    Child child = Spawn.of(sleep, List.of("60")).start();
    try {
      int number = RemoteCalls.in(child, RemoteCalls::openUserfaultfd);
      Userfaultfd.ofProcess(child, number).close();
      return Probe.yes("userfaultfd with WP_ASYNC, PAGEMAP_SCAN and ptrace work together");
    } finally {
      child.kill(Signal.KILL);
      child.exit().completeOnTimeout(new ExitStatus.Unknown(), 5, TimeUnit.SECONDS).join();
    }
  }
}

package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Tries whether the kernel marks pages as soft-dirty, the fallback of x86 before PAGEMAP_SCAN. */
public final class SoftDirtyProbe {
  private SoftDirtyProbe() {}

  public static Probe run() {
    long page = ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);
    try (Arena arena = Arena.ofConfined();
        Mapping mapping = Mapping.anonymous(page);
        Fd pagemap = HostFiles.open(Path.of("/proc/%d/pagemap".formatted(self())), OpenFlag.READ)) {
      mapping.write(0, new byte[] {1});
      MemorySegment entry = arena.allocate(JAVA_LONG);
      FileIo.readFully(pagemap.number(), entry, mapping.segment().address() / page * Long.BYTES);
      boolean marked = (entry.get(JAVA_LONG, 0) >>> PageMap.SOFT_DIRTY_BIT & 1) != 0;
      return new Probe(
          marked,
          marked ? "written pages are marked" : "a page just written is not marked soft-dirty");
    } catch (LinuxException e) {
      return Probe.no(e);
    }
  }

  private static long self() {
    return ProcessHandle.current().pid();
  }
}

package io.forkd.core;

import io.forkd.linux.LinuxException;
import io.forkd.linux.Mapping;
import io.forkd.linux.Memfd;
import io.forkd.linux.MemoryArea;
import io.forkd.linux.PageMap;
import io.forkd.linux.PageRange;
import io.forkd.linux.ProcessMemory;
import io.forkd.linux.Userfaultfd;
import io.forkd.vmm.GuestRam;
import io.forkd.vmm.VirtualMachine;
import java.util.List;
import java.util.OptionalInt;

/**
 * Copies what a sandbox has changed, at one instant. The pages it has written are private to its
 * VMM process; all others are still the template's.
 */
final class Capturer {
  /** When so little is left, copying it costs less than another round. */
  private static final long SMALL = 512 << 10;

  private static final int MOST_ROUNDS = 8;

  private final VirtualMachine vm;
  private final long pid;
  private final MemoryArea ram;
  private final Mapping into;
  private final PageMap pages;

  private Capturer(VirtualMachine vm, MemoryArea ram, Mapping into, PageMap pages) {
    this.vm = vm;
    this.pid = vm.process().pid();
    this.ram = ram;
    this.into = into;
    this.pages = pages;
  }

  /** What was copied when the sandbox ran again. */
  private record Copied(List<PageRange> ranges, double pauseMs) {}

  /**
   * Captures a running sandbox; when this returns it runs again.
   *
   * @param tracker the userfaultfd of its VMM; when there is one, most is copied before the pause
   */
  static Captured capture(
      VirtualMachine vm, DeviceStateFile state, long guestBytes, String name, OptionalInt tracker) {
    long began = System.nanoTime();
    Memfd memory = Memfd.create(GuestRam.NAME + name, guestBytes);
    try {
      Copied copied;
      MemoryArea ram = GuestRam.in(vm.process().pid(), guestBytes);
      try (Mapping into = Mapping.shared(memory.fd(), 0, guestBytes);
          PageMap pages = PageMap.open(vm.process().pid())) {
        Capturer capturer = new Capturer(vm, ram, into, pages);
        copied = tracker.isPresent() ? capturer.live(tracker.getAsInt()) : capturer.diff();
      }
      double captureMs = millisSince(began);
      return new Captured(
          Layer.sealing(memory, copied.ranges()),
          state.take(),
          tracker.isPresent() ? BranchMode.LIVE : BranchMode.DIFF,
          copied.pauseMs(),
          captureMs);
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  /** All is copied while it is paused; the room for it is made before. */
  private Copied diff() {
    into.populate(pages.written(ram));
    return paused(
        () -> {
          List<PageRange> ranges = pages.written(ram);
          ProcessMemory.readInPlace(pid, ram, ranges, into);
          return ranges;
        });
  }

  /** Copied again and again while it runs, until little is left for the pause. */
  private Copied live(int number) {
    try (Userfaultfd faults = Userfaultfd.ofProcess(vm.process(), number)) {
      faults.registerForWriteProtection(ram);
      try {
        List<PageRange> sofar = precopy();
        Copied last =
            paused(
                () -> {
                  List<PageRange> rest = pages.writtenSinceProtected(ram, false);
                  ProcessMemory.readInPlace(pid, ram, rest, into);
                  return rest;
                });
        return new Copied(PageRanges.union(sofar, last.ranges()), last.pauseMs());
      } finally {
        unregister(faults);
      }
    }
  }

  private List<PageRange> precopy() {
    List<PageRange> sofar = List.of();
    long before = Long.MAX_VALUE;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      List<PageRange> written = pages.writtenSinceProtected(ram, true);
      ProcessMemory.readInPlace(pid, ram, written, into);
      sofar = PageRanges.union(sofar, written);
      long bytes = PageRanges.bytes(written);
      if (bytes <= SMALL || bytes > before / 4 * 3) {
        break; // little is left, or it writes as fast as we copy
      }
      before = bytes;
    }
    return sofar;
  }

  private interface Copying {
    List<PageRange> run();
  }

  /**
   * Devices write into memory while they are paused and saved, so memory is looked at after that.
   */
  private Copied paused(Copying copying) {
    long stopped = System.nanoTime();
    vm.pause();
    List<PageRange> ranges;
    try {
      vm.saveDeviceState();
      ranges = copying.run();
    } finally {
      vm.resume();
    }
    return new Copied(ranges, millisSince(stopped));
  }

  private void unregister(Userfaultfd faults) {
    try {
      faults.unregister(ram);
    } catch (LinuxException e) {
      if (vm.process().alive()) {
        throw e;
      }
    }
  }

  private static double millisSince(long began) {
    return Math.round((System.nanoTime() - began) / 1e3) / 1e3;
  }
}

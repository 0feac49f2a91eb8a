package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.LinuxException;
import io.forkd.linux.Mapping;
import io.forkd.linux.Memfd;
import io.forkd.linux.MemoryArea;
import io.forkd.linux.PageMap;
import io.forkd.linux.PageRange;
import io.forkd.linux.ProcessMemory;
import io.forkd.linux.Userfaultfd;
import io.forkd.vmm.GuestRam;
import io.forkd.vmm.MemoryCopy;
import io.forkd.vmm.VirtualMachine;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Copies what a sandbox has changed, at one instant. The pages it has written are private to its
 * VMM process; all others are still the template's.
 */
final class Capturer {
  /** When so little is left, copying it costs less than another round. */
  private static final long SMALL = 512 << 10;

  private static final int MOST_ROUNDS = 8;

  /** How long a process may take to end when its memory is gone. */
  private static final Duration DYING = Duration.ofSeconds(2);

  private final VirtualMachine vm;
  private final long pid;
  private final MemoryArea ram;
  private final Mapping into;
  private final PageMap pages;

  /** How the pages written meanwhile are found. */
  sealed interface Way {}

  /** All is copied in the pause. */
  record WhilePaused() implements Way {}

  /**
   * By write protection.
   *
   * @param number of the userfaultfd in the VMM
   */
  record ByUserfaultfd(int number) implements Way {}

  /** By the kernel's soft-dirty marks. */
  record BySoftDirty() implements Way {}

  /** By the VMM itself, which tells all of its memory for that. */
  record ByMigration() implements Way {}

  /** All is copied in a pause that lasts: the sandbox is not to go on in this process. */
  record ForGood() implements Way {}

  private Capturer(VirtualMachine vm, MemoryArea ram, Mapping into, PageMap pages) {
    this.vm = vm;
    this.pid = vm.process().pid();
    this.ram = ram;
    this.into = into;
    this.pages = pages;
  }

  /** What was copied when the sandbox ran again. */
  private record Copied(List<PageRange> ranges, BranchMode mode, double pauseMs) {}

  /**
   * Captures a running sandbox; when this returns it runs again, unless it was for good.
   *
   * @param way with one that finds what is written meanwhile, most is copied before the pause
   */
  static Captured capture(VirtualMachine vm, long guestBytes, String name, Way way) {
    long began = System.nanoTime();
    Memfd memory = Memfd.create(GuestRam.NAME + name, guestBytes);
    try {
      Copied copied;
      MemoryArea ram = GuestRam.in(vm.process().pid(), guestBytes);
      try (Mapping into = Mapping.shared(memory.fd(), 0, guestBytes);
          PageMap pages = PageMap.open(vm.process().pid())) {
        copied = new Capturer(vm, ram, into, pages).copy(way);
      }
      double captureMs = millisSince(began);
      byte[] deviceState = vm.deviceState();
      return new Captured(
          Layer.sealing(memory, copied.ranges()),
          deviceState,
          copied.mode(),
          copied.pauseMs(),
          captureMs);
    } catch (LinuxException e) {
      memory.close();
      throw explained(vm, e);
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  private static ForkdException explained(VirtualMachine vm, LinuxException e) {
    return isGone(vm)
        ? new ForkdException(ErrorCode.GUEST_FAILED, "the sandbox's VMM died meanwhile", e)
        : new ForkdException(
            ErrorCode.HOST_FAILED, "the sandbox's memory cannot be read: " + e.getMessage(), e);
  }

  /** A process that dies has no memory any more some time before it has ended. */
  private static boolean isGone(VirtualMachine vm) {
    try {
      return vm.process().waitFor(DYING).isPresent();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return !vm.process().alive();
    }
  }

  private Copied copy(Way way) {
    return switch (way) {
      case WhilePaused() -> diff(VirtualMachine::resume);
      case ForGood() -> diff(_ -> {});
      case BySoftDirty() -> softDirty();
      case ByMigration() -> migrated();
      case ByUserfaultfd(int number) -> tracked(number);
    };
  }

  private Copied tracked(int number) {
    Userfaultfd faults;
    try {
      faults = Userfaultfd.ofProcess(vm.process(), number);
    } catch (LinuxException | IllegalStateException e) {
      // A VMM is not trusted to keep what it was made to open.
      Log.CORE.warn("VMM {} holds no userfaultfd any more: {}", pid, e.getMessage());
      return diff(VirtualMachine::resume);
    }
    try (faults) {
      return live(faults);
    }
  }

  /**
   * All marks are taken away first and all pages copied after that, so that whatever is written
   * later, also in the middle of it, is marked when the rest is copied. There is one round only: a
   * mark set between a look and its removal would be lost.
   */
  private Copied softDirty() {
    PageMap.clearSoftDirty(pid);
    List<PageRange> first = pages.written(ram);
    ProcessMemory.readInPlace(pid, ram, first, into);
    Copied last =
        paused(
            BranchMode.LIVE,
            VirtualMachine::resume,
            () -> {
              List<PageRange> rest = pages.writtenBySoftDirty(ram);
              ProcessMemory.readInPlace(pid, ram, rest, into);
              return rest;
            });
    return new Copied(PageRanges.union(first, last.ranges()), BranchMode.LIVE, last.pauseMs());
  }

  /**
   * The VMM stops the guest and saves its devices by itself, so the pause has begun when its memory
   * is complete.
   */
  private Copied migrated() {
    ArrivedPages arrived = new ArrivedPages(pages, ram, into);
    return switch (vm.streamMemory(ram.size(), arrived)) {
      case MemoryCopy.Whole(long pausedSince) ->
          standing(
              pausedSince,
              BranchMode.LIVE,
              VirtualMachine::resume,
              () -> {
                // Not asked of the kernel: it takes long once the VMM has read all of its memory.
                ProcessMemory.readInPlace(pid, ram, arrived.doubtful(), into);
                return arrived.own();
              });
      case MemoryCopy.GivenUp(String reason) -> {
        Log.CORE.warn("VMM {} is branched while paused: {}", pid, reason);
        yield diff(VirtualMachine::resume);
      }
    };
  }

  /** All is copied while it is paused; the room for it is made before. */
  private Copied diff(Consumer<VirtualMachine> afterwards) {
    into.populate(pages.written(ram));
    return paused(
        BranchMode.DIFF,
        afterwards,
        () -> {
          List<PageRange> ranges = pages.written(ram);
          ProcessMemory.readInPlace(pid, ram, ranges, into);
          return ranges;
        });
  }

  /** Copied again and again while it runs, until little is left for the pause. */
  private Copied live(Userfaultfd faults) {
    faults.registerForWriteProtection(ram);
    try {
      List<PageRange> sofar = precopy();
      Copied last =
          paused(
              BranchMode.LIVE,
              VirtualMachine::resume,
              () -> {
                List<PageRange> rest = pages.writtenSinceProtected(ram, sofar);
                ProcessMemory.readInPlace(pid, ram, rest, into);
                return rest;
              });
      return new Copied(PageRanges.union(sofar, last.ranges()), BranchMode.LIVE, last.pauseMs());
    } finally {
      unregister(faults);
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

  private Copied paused(BranchMode mode, Consumer<VirtualMachine> afterwards, Copying copying) {
    long stopped = System.nanoTime();
    vm.pause();
    return standing(
        stopped,
        mode,
        afterwards,
        () -> {
          // Devices write into memory while they are paused and saved, so it is looked at after.
          vm.saveDeviceState();
          return copying.run();
        });
  }

  private Copied standing(
      long stopped, BranchMode mode, Consumer<VirtualMachine> afterwards, Copying copying) {
    List<PageRange> ranges;
    try {
      ranges = copying.run();
    } catch (RuntimeException e) {
      vm.resume();
      throw e;
    }
    afterwards.accept(vm);
    return new Copied(ranges, mode, millisSince(stopped));
  }

  private void unregister(Userfaultfd faults) {
    try {
      faults.unregister(ram);
    } catch (LinuxException e) {
      if (!isGone(vm)) {
        throw e;
      }
    }
  }

  private static double millisSince(long began) {
    return Math.round((System.nanoTime() - began) / 1e3) / 1e3;
  }
}

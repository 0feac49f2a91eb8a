package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.HostProcess;
import io.forkd.linux.LinuxException;
import io.forkd.linux.MemoryArea;
import io.forkd.linux.PageRange;
import io.forkd.linux.ProcessMemory;
import io.forkd.linux.RemoteCalls;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Makes the memory of a VMM that has just started what it is to be: puts the deltas of a chain over
 * its image, and has it open the userfaultfd that live branches need. All of that happens before
 * anybody is given the VM, so that nothing is lost when we die in the middle.
 */
final class MemorySetup {
  /**
   * Long ranges are mapped, so that siblings share them; mapping a short one costs more than
   * copying it.
   */
  private static final long WORTH_MAPPING = 64 << 10;

  private static final int MOST_MAPPED = 512;

  private final HostProcess process;
  private final Overlay overlay;
  private final int firstDescriptor;

  /**
   * Prepares the setup of one process.
   *
   * @param firstDescriptor the number the process has the first layer open under
   */
  MemorySetup(HostProcess process, Overlay overlay, int firstDescriptor) {
    this.process = process;
    this.overlay = overlay;
    this.firstDescriptor = firstDescriptor;
  }

  /** Sets the memory up: the number of the userfaultfd, when one was asked for and can be had. */
  OptionalInt run(long guestBytes, boolean trackWrites) {
    if (overlay.pieces().isEmpty() && !trackWrites) {
      return OptionalInt.empty();
    }
    try {
      MemoryArea ram = GuestRam.in(process.pid(), guestBytes);
      Set<Overlay.Piece> mapped = longest(overlay.pieces());
      OptionalInt tracker = remotely(ram, mapped, trackWrites);
      writeIn(ram, piece -> !mapped.contains(piece));
      return tracker;
    } catch (LinuxException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "the memory of VMM process %d could not be set up: %s"
              .formatted(process.pid(), e.getMessage()),
          e);
    }
  }

  private OptionalInt remotely(MemoryArea ram, Set<Overlay.Piece> mapped, boolean trackWrites) {
    if (mapped.isEmpty() && !trackWrites) {
      return OptionalInt.empty();
    }
    try {
      return RemoteCalls.in(
          process,
          calls -> {
            for (Overlay.Piece piece : mapped) {
              PageRange range = piece.range();
              calls.mapOver(ram, range, firstDescriptor + piece.layer(), range.offset());
            }
            return trackWrites ? OptionalInt.of(calls.openUserfaultfd()) : OptionalInt.empty();
          });
    } catch (LinuxException e) {
      if (!process.alive()) {
        throw e;
      }
      // Where tracing is forbidden, siblings share less and branches are taken while paused.
      writeIn(ram, mapped::contains);
      return OptionalInt.empty();
    }
  }

  static Set<Overlay.Piece> longest(List<Overlay.Piece> pieces) {
    return new HashSet<>(
        pieces.stream()
            .filter(piece -> piece.range().length() >= WORTH_MAPPING)
            .sorted(Comparator.comparingLong((Overlay.Piece p) -> p.range().length()).reversed())
            .limit(MOST_MAPPED)
            .toList());
  }

  private void writeIn(MemoryArea ram, Predicate<Overlay.Piece> which) {
    List<List<PageRange>> perLayer = new ArrayList<>();
    overlay.layers().forEach(layer -> perLayer.add(new ArrayList<>()));
    overlay.pieces().stream()
        .filter(which)
        .forEach(piece -> perLayer.get(piece.layer()).add(piece.range()));
    for (int i = 0; i < perLayer.size(); i++) {
      if (!perLayer.get(i).isEmpty()) {
        ProcessMemory.writeInPlace(
            process.pid(), ram, perLayer.get(i), overlay.layers().get(i).view());
      }
    }
  }
}

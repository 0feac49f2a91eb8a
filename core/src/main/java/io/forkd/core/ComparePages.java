package io.forkd.core;

import io.forkd.linux.FileIo;
import io.forkd.linux.PageRange;
import io.forkd.linux.PageScan;
import io.forkd.vmm.Overlay;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** Counts the pages in which two memories differ. */
final class ComparePages {
  private static final int CHUNK = 1 << 20;

  private final LayerStack a;
  private final LayerStack b;
  private final byte[] left = new byte[CHUNK];
  private final byte[] right = new byte[CHUNK];

  private ComparePages(LayerStack a, LayerStack b) {
    this.a = a;
    this.b = b;
  }

  static Difference.Pages count(LayerStack a, LayerStack b) {
    return new ComparePages(a, b).run();
  }

  private Difference.Pages run() {
    long total = Math.max(a.base().guestBytes(), b.base().guestBytes());
    List<PageRange> candidates = candidates(total);
    long differing = 0;
    for (PageRange range : candidates) {
      for (long at = range.offset(); at < range.end(); at += CHUNK) {
        differing += differing(at, (int) Math.min(CHUNK, range.end() - at));
      }
    }
    return new Difference.Pages(
        total / PageScan.PAGE,
        PageRanges.bytes(candidates) / PageScan.PAGE,
        differing,
        PageScan.PAGE);
  }

  /** Where both come from one base, only what their deltas have can differ. */
  private List<PageRange> candidates(long total) {
    return a.base() == b.base()
        ? PageRanges.union(changed(a), changed(b))
        : List.of(new PageRange(0, total));
  }

  private static List<PageRange> changed(LayerStack stack) {
    return stack.overlay().pieces().stream().map(Overlay.Piece::range).toList();
  }

  private long differing(long offset, int length) {
    read(a, offset, left, length);
    read(b, offset, right, length);
    long count = 0;
    for (int at = 0; at < length; at += PageScan.PAGE) {
      int end = Math.min(length, at + PageScan.PAGE);
      if (Arrays.mismatch(left, at, end, right, at, end) >= 0) {
        count++;
      }
    }
    return count;
  }

  /** By reading the files: reading a hole through a mapping would make it occupy memory. */
  private static void read(LayerStack stack, long offset, byte[] into, int length) {
    int got = FileIo.pread(stack.base().fd(), ByteBuffer.wrap(into, 0, length), offset);
    Arrays.fill(into, got, length, (byte) 0);
    for (Overlay.Piece piece : stack.piecesIn(offset, offset + length)) {
      long from = Math.max(offset, piece.range().offset());
      long to = Math.min(offset + length, piece.range().end());
      FileIo.pread(
          stack.deltas().get(piece.layer()).fd(),
          ByteBuffer.wrap(into, (int) (from - offset), (int) (to - from)),
          from);
    }
  }
}

package io.forkd.core;

import io.forkd.linux.Mapping;
import io.forkd.linux.MemoryArea;
import io.forkd.linux.PageMap;
import io.forkd.linux.PageRange;
import io.forkd.vmm.PageSink;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Keeps what a VMM tells of the pages that are its own, and forgets the others: those are the
 * template's. A page that is not its own after it was told, and becomes so later, was written
 * later, and is told again. A VMM is relied on to tell the first write to a page, not more.
 */
final class ArrivedPages implements PageSink {
  private static final byte[] ZEROS = new byte[PAGE];

  private final PageMap pages;
  private final MemoryArea ram;
  private final Mapping into;
  private final BitSet own = new BitSet();
  private final BitSet told = new BitSet();
  private final BitSet sure = new BitSet();

  ArrivedPages(PageMap pages, MemoryArea ram, Mapping into) {
    this.pages = pages;
    this.ram = ram;
    this.into = into;
    for (PageRange range : pages.written(ram)) {
      own.set(number(range.offset()), number(range.end()));
    }
  }

  private static int number(long offset) {
    return Math.toIntExact(offset / PAGE);
  }

  @Override
  public void page(long offset, byte[] content) {
    int page = number(offset);
    boolean again = told.get(page);
    told.set(page);
    if (isOwn(page)) {
      into.write(offset, content);
      sure.set(page, !again);
    }
  }

  @Override
  public void zero(long offset) {
    page(offset, ZEROS);
  }

  private boolean isOwn(int page) {
    if (!own.get(page) && pages.isWritten(ram, (long) page * PAGE)) {
      own.set(page);
    }
    return own.get(page);
  }

  /** All pages that are the VMM's own, when it has told everything. */
  List<PageRange> own() {
    return ranges(own);
  }

  /**
   * Those of them that must be looked at when nothing runs any more: they were told more than once,
   * and may have changed again.
   */
  List<PageRange> doubtful() {
    BitSet doubtful = (BitSet) own.clone();
    doubtful.andNot(sure);
    return ranges(doubtful);
  }

  private static List<PageRange> ranges(BitSet pages) {
    List<PageRange> ranges = new ArrayList<>();
    int from = pages.nextSetBit(0);
    while (from >= 0) {
      int to = pages.nextClearBit(from);
      ranges.add(new PageRange((long) from * PAGE, (long) (to - from) * PAGE));
      from = pages.nextSetBit(to);
    }
    return ranges;
  }
}

package io.forkd.store;

import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.PageDigest;
import io.forkd.linux.PageScan;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes a base with layers over it as one sparse file. Pages are taken in ascending order from
 * wherever they are, because their digest needs that order.
 */
final class FlatImage {
  private final Fd target;
  private final List<SnapshotWriter.Layer> layers;
  private final List<LayerMap.Segment> segments;
  private final PageDigest digest = new PageDigest();
  private final ByteBuffer in = Pages.chunk();

  /** Neighbouring pages not yet written, which begin at {@code outOffset}. */
  private final ByteBuffer out = Pages.chunk();

  private long outOffset;
  private int nextSegment;

  private FlatImage(Fd target, List<SnapshotWriter.Layer> layers) {
    this.target = target;
    this.layers = layers;
    this.segments = LayerMap.of(layers.stream().map(SnapshotWriter.Layer::ranges).toList());
  }

  /** Writes into an empty file; returns the page digest of the result. */
  static String write(Fd base, List<SnapshotWriter.Layer> layers, Fd target) {
    long size = FileIo.size(base);
    if (size % Pages.PAGE != 0) {
      throw new IllegalArgumentException("a base of %d bytes is not whole pages".formatted(size));
    }
    layers.forEach(layer -> Ranges.require(layer.ranges(), size));
    FileIo.truncate(target, size);
    FlatImage image = new FlatImage(target, layers);
    PageScan.visit(base, image::basePage);
    image.copySegmentsUpTo(size);
    image.flush();
    return image.digest.finish();
  }

  private void basePage(long index, ByteBuffer page) {
    long offset = index * Pages.PAGE;
    copySegmentsUpTo(offset);
    boolean covered = nextSegment > 0 && offset < segments.get(nextSegment - 1).end();
    if (!covered) {
      add(offset, page);
    }
  }

  /** Copies every segment that begins at or before an offset. */
  private void copySegmentsUpTo(long offset) {
    while (nextSegment < segments.size() && segments.get(nextSegment).offset() <= offset) {
      copy(segments.get(nextSegment));
      nextSegment++;
    }
  }

  private void copy(LayerMap.Segment segment) {
    Fd memory = layers.get(segment.layer()).memory();
    for (long at = segment.offset(); at < segment.end(); ) {
      ByteBuffer pages = Pages.take(in.clear(), segment.end() - at);
      Pages.read(memory, pages, at);
      for (int page = 0; page < pages.limit(); page += Pages.PAGE) {
        ByteBuffer each = pages.slice(page, Pages.PAGE);
        if (!Pages.isZero(each)) {
          add(at + page, each);
        }
      }
      at += pages.limit();
    }
  }

  private void add(long offset, ByteBuffer page) {
    if (!out.hasRemaining() || offset != outOffset + out.position()) {
      flush();
      outOffset = offset;
    }
    digest.page(offset / Pages.PAGE, page.duplicate());
    out.put(page);
  }

  private void flush() {
    Pages.flush(target, out, outOffset);
  }
}

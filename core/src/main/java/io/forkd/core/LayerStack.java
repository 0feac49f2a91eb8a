package io.forkd.core;

import io.forkd.base.Tag;
import io.forkd.linux.Mapping;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageRange;
import io.forkd.store.LayerMap;
import io.forkd.vmm.GuestRam;
import io.forkd.vmm.Overlay;
import java.util.ArrayList;
import java.util.List;

/** The memory of a chain: a base and its deltas, of which the topmost that has a page wins. */
final class LayerStack implements AutoCloseable {
  private static final int CHUNK = 1 << 20;

  private final List<Layer> layers;
  private final Overlay overlay;

  /**
   * Takes over one use of each layer.
   *
   * @param layers the base first
   */
  LayerStack(List<Layer> layers) {
    this.layers = List.copyOf(layers);
    this.overlay = resolve(this.layers);
  }

  /** The same with one more delta on top, which is taken over. */
  LayerStack plus(Layer top) {
    List<Layer> all = new ArrayList<>();
    layers.forEach(layer -> all.add(layer.share()));
    all.add(top);
    return new LayerStack(all);
  }

  Layer base() {
    return layers.getFirst();
  }

  /** All of them, the base first. */
  List<Layer> layers() {
    return layers;
  }

  List<Layer> deltas() {
    return layers.subList(1, layers.size());
  }

  Overlay overlay() {
    return overlay;
  }

  /** The pieces of its deltas that touch a range. */
  List<Overlay.Piece> piecesIn(long from, long to) {
    List<Overlay.Piece> pieces = overlay.pieces();
    int low = 0;
    int high = pieces.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pieces.get(middle).range().end() <= from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    int end = low;
    while (end < pieces.size() && pieces.get(end).range().offset() < to) {
      end++;
    }
    return pieces.subList(low, end);
  }

  /** The same memory with all deltas merged into one. */
  LayerStack flattened(Tag name) {
    Memfd merged = Memfd.create(GuestRam.NAME + name, base().guestBytes());
    try (Mapping into = Mapping.shared(merged.fd(), 0, merged.size())) {
      for (Overlay.Piece piece : overlay.pieces()) {
        PageRange range = piece.range();
        for (long at = range.offset(); at < range.end(); at += CHUNK) {
          int length = (int) Math.min(CHUNK, range.end() - at);
          into.write(at, overlay.layers().get(piece.layer()).view().read(at, length));
        }
      }
    } catch (RuntimeException e) {
      merged.close();
      throw e;
    }
    List<PageRange> ranges =
        PageRanges.union(List.of(), overlay.pieces().stream().map(Overlay.Piece::range).toList());
    return new LayerStack(List.of(base().share(), Layer.sealing(merged, ranges)));
  }

  private static Overlay resolve(List<Layer> layers) {
    List<Layer> deltas = layers.subList(1, layers.size());
    return new Overlay(
        deltas.stream().map(layer -> new Overlay.Layer(layer.fd(), layer.view())).toList(),
        LayerMap.of(deltas.stream().map(Layer::ranges).toList()).stream()
            .map(
                part ->
                    new Overlay.Piece(
                        part.layer(), new PageRange(part.offset(), part.end() - part.offset())))
            .toList());
  }

  @Override
  public void close() {
    layers.forEach(Layer::release);
  }
}

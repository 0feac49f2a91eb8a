package io.forkd.vmm;

import io.forkd.linux.Fd;
import io.forkd.linux.Mapping;
import io.forkd.linux.PageRange;
import java.util.List;

/**
 * Memory that lies over a VM's image: the deltas of a chain, already resolved, so that every range
 * comes from one layer.
 *
 * @param layers sealed memfds of guest size, their pages at the guest's own offsets
 * @param pieces ascending and disjoint
 */
public record Overlay(List<Layer> layers, List<Piece> pieces) {
  public static final Overlay NONE = new Overlay(List.of(), List.of());

  public Overlay {
    layers = List.copyOf(layers);
    pieces = List.copyOf(pieces);
  }

  /**
   * One delta.
   *
   * @param view the same memory, mapped by us
   */
  public record Layer(Fd memory, Mapping view) {}

  /** A range of guest memory and the layer, by its place in the list, that it comes from. */
  public record Piece(int layer, PageRange range) {}
}

package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageRange;
import io.forkd.vmm.Overlay;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LayerStackTest {
  private static final int PAGE = 4096;
  private static final int PAGES = 64;

  /** A layer whose pages hold their layer's number. */
  private static Layer layer(int number, BitSet pages) {
    Memfd memory = Memfd.create("forkd-ram-layer-test", (long) PAGES * PAGE);
    byte[] content = new byte[PAGE];
    content[0] = (byte) number;
    pages.stream()
        .forEach(page -> FileIo.pwrite(memory.fd(), ByteBuffer.wrap(content), (long) page * PAGE));
    return Layer.sealing(memory, PageRangesTest.ranges(pages));
  }

  private static BitSet all() {
    BitSet pages = new BitSet();
    pages.set(0, PAGES);
    return pages;
  }

  private static BitSet pages(int... numbers) {
    BitSet pages = new BitSet();
    for (int number : numbers) {
      pages.set(number);
    }
    return pages;
  }

  @Test
  void everyPageComesFromTheTopmostLayerThatHasIt() {
    Random random = new Random(3);
    for (int round = 0; round < 200; round++) {
      List<Layer> layers = new ArrayList<>(List.of(layer(0, all())));
      int[] owner = new int[PAGES];
      for (int number = 1; number <= 4; number++) {
        BitSet pages = PageRangesTest.somePages(random, PAGES);
        layers.add(layer(number, pages));
        int current = number;
        pages.stream().forEach(page -> owner[page] = current);
      }
      try (LayerStack stack = new LayerStack(layers)) {
        int[] found = new int[PAGES];
        long end = 0;
        for (Overlay.Piece piece : stack.overlay().pieces()) {
          assertThat(piece.range().offset()).isGreaterThanOrEqualTo(end);
          end = piece.range().end();
          for (long at = piece.range().offset(); at < end; at += PAGE) {
            found[(int) (at / PAGE)] = piece.layer() + 1;
          }
        }
        assertThat(found).isEqualTo(owner);
      }
    }
  }

  @Test
  void aStackOnTopKeepsTheLayersBelowAliveUntilBothAreGone() {
    Layer base = layer(0, all());
    LayerStack parent = new LayerStack(List.of(base));
    LayerStack child = parent.plus(layer(1, pages(3)));
    parent.close();
    assertThat(base.isGone()).isFalse();
    assertThat(child.base()).isSameAs(base);
    child.close();
    assertThat(base.isGone()).isTrue();
    assertThatThrownBy(base::share).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void piecesAreFoundByRange() {
    try (LayerStack stack =
        new LayerStack(List.of(layer(0, all()), layer(1, pages(2, 3, 10, 20))))) {
      assertThat(stack.piecesIn(0, 2L * PAGE)).isEmpty();
      assertThat(stack.piecesIn(3L * PAGE, 11L * PAGE))
          .extracting(piece -> piece.range())
          .containsExactly(new PageRange(2L * PAGE, 2L * PAGE), new PageRange(10L * PAGE, PAGE));
      assertThat(stack.piecesIn(21L * PAGE, 64L * PAGE)).isEmpty();
    }
  }

  @Test
  void aFlattenedStackHasTheSamePagesInOneDelta() {
    Random random = new Random(5);
    List<Layer> layers = new ArrayList<>(List.of(layer(0, all())));
    for (int number = 1; number <= 9; number++) {
      layers.add(layer(number, PageRangesTest.somePages(random, PAGES)));
    }
    try (LayerStack deep = new LayerStack(layers);
        LayerStack flat = deep.flattened(io.forkd.base.Tag.of("flat"))) {
      assertThat(flat.deltas()).hasSize(1);
      assertThat(coveredBytes(flat)).isEqualTo(coveredBytes(deep));
      Difference.Pages pages = ComparePages.count(deep, flat);
      assertThat(pages.compared()).isPositive();
      assertThat(pages.differing()).isZero();
    }
  }

  private static long coveredBytes(LayerStack stack) {
    return stack.overlay().pieces().stream().mapToLong(piece -> piece.range().length()).sum();
  }

  @Test
  void pagesOfOneFamilyAreComparedWhereADeltaHasThem() {
    Layer base = layer(0, all());
    try (LayerStack parent = new LayerStack(List.of(base));
        LayerStack a = parent.plus(layer(1, pages(1, 2, 40)));
        LayerStack b = parent.plus(layer(1, pages(2, 50)))) {
      Difference.Pages pages = ComparePages.count(a, b);
      assertThat(pages.total()).isEqualTo(PAGES);
      assertThat(pages.compared()).isEqualTo(4);
      assertThat(pages.differing()).as("page 2 holds the same on both sides").isEqualTo(3);
    }
  }

  @Test
  void pagesOfStrangersAreAllCompared() {
    try (LayerStack a = new LayerStack(List.of(layer(5, pages(0, 1))));
        LayerStack b = new LayerStack(List.of(layer(5, pages(1, 2))))) {
      Difference.Pages pages = ComparePages.count(a, b);
      assertThat(pages.compared()).isEqualTo(PAGES);
      assertThat(pages.differing()).isEqualTo(2);
    }
  }

  @Test
  void aLayerWithKnownContentIsLoadedOnce() {
    LayerPool pool = new LayerPool();
    Layer first = pool.acquire("hash", () -> layer(1, pages(1)));
    Layer second =
        pool.acquire(
            "hash",
            () -> {
              throw new AssertionError("it is there already");
            });
    assertThat(second).isSameAs(first);
    first.release();
    second.release();
    Layer third = pool.acquire("hash", () -> layer(1, pages(1)));
    assertThat(third).isNotSameAs(first);
    third.release();
  }
}

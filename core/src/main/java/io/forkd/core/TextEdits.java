package io.forkd.core;

import java.util.BitSet;
import java.util.Optional;

/**
 * Which lines of one text to remove, and which of another to add, to make the other of the one.
 *
 * <p>After E. W. Myers, An O(ND) Difference Algorithm and Its Variations (1986), in linear space: a
 * search from both ends meets in the middle of a shortest edit, and the two halves are edited in
 * turn. Its work grows with the square of the difference, so it is bounded: a part in which the
 * search has not met when its work is used up is replaced as a whole.
 */
final class TextEdits {
  /** The most edits searched for from either end. */
  static final int MOST_EDITS = 4_000;

  /** Lines looked at over all searches. */
  private static final long MOST_WORK = 40_000_000;

  private final int[] a;
  private final int[] b;
  private final BitSet removed = new BitSet();
  private final BitSet added = new BitSet();
  private final int[] furthestForward;
  private final int[] furthestBackward;
  private final int middle;
  private long workLeft = MOST_WORK;

  private TextEdits(int[] a, int[] b) {
    this.a = a;
    this.b = b;
    this.middle = Math.min(MOST_EDITS, (a.length + b.length + 1) / 2) + 1;
    this.furthestForward = new int[2 * middle + 1];
    this.furthestBackward = new int[2 * middle + 1];
  }

  /** Lines are numbers, equal for equal lines. */
  static TextEdits between(int[] a, int[] b) {
    TextEdits edits = new TextEdits(a, b);
    edits.edit(new Part(0, a.length, 0, b.length));
    return edits;
  }

  /** The first line of a from this one on that stays. */
  int endOfRemoved(int line) {
    return removed.nextClearBit(line);
  }

  /** The first line of b from this one on that is not new. */
  int endOfAdded(int line) {
    return added.nextClearBit(line);
  }

  /** Lines of a and lines of b that become each other. */
  private record Part(int fromA, int toA, int fromB, int toB) {
    int lengthA() {
      return toA - fromA;
    }

    int lengthB() {
      return toB - fromB;
    }
  }

  /** A place on a shortest edit of a part: so many lines of a and b lie before it. */
  private record Place(int ofA, int ofB) {}

  private void edit(Part whole) {
    Part part = trimmed(whole);
    if (part.lengthA() == 0 || part.lengthB() == 0) {
      replace(part);
      return;
    }
    Optional<Place> met = meet(part);
    if (met.isEmpty()) {
      replace(part);
      return;
    }
    int cutA = part.fromA + met.get().ofA;
    int cutB = part.fromB + met.get().ofB;
    edit(new Part(part.fromA, cutA, part.fromB, cutB));
    edit(new Part(cutA, part.toA, cutB, part.toB));
  }

  private void replace(Part part) {
    removed.set(part.fromA, part.toA);
    added.set(part.fromB, part.toB);
  }

  /** Without the lines that both begin with, and those that both end with. */
  private Part trimmed(Part part) {
    int fromA = part.fromA;
    int fromB = part.fromB;
    int toA = part.toA;
    int toB = part.toB;
    while (fromA < toA && fromB < toB && a[fromA] == b[fromB]) {
      fromA++;
      fromB++;
    }
    while (fromA < toA && fromB < toB && a[toA - 1] == b[toB - 1]) {
      toA--;
      toB--;
    }
    return new Part(fromA, toA, fromB, toB);
  }

  /*
   * Diagonal k holds the places with ofA - ofB = k. furthestForward[k] is how many lines of a the
   * furthest edit from the start with d removals and additions has passed on it; furthestBackward
   * is the same from the end, with both texts read backwards. Diagonals beyond the part's edges are
   * left out of the loop: nothing that could still become shortest is there.
   */
  private Optional<Place> meet(Part part) {
    int delta = part.lengthA() - part.lengthB();
    furthestForward[middle + 1] = 0;
    furthestBackward[middle + 1] = 0;
    int most = Math.min(MOST_EDITS, (part.lengthA() + part.lengthB() + 1) / 2);
    for (int d = 0; d <= most && workLeft > 0; d++) {
      int low = -(d - 2 * Math.max(0, d - part.lengthB()));
      int high = d - 2 * Math.max(0, d - part.lengthA());
      for (int k = low; k <= high; k += 2) {
        int ofA = advance(part, furthestForward, d, k, true);
        boolean overlaps = delta % 2 != 0 && Math.abs(delta - k) <= d - 1;
        if (overlaps && ofA + furthestBackward[middle + delta - k] >= part.lengthA()) {
          return Optional.of(new Place(ofA, ofA - k));
        }
      }
      for (int k = low; k <= high; k += 2) {
        int ofA = advance(part, furthestBackward, d, k, false);
        boolean overlaps = delta % 2 == 0 && Math.abs(delta - k) <= d;
        if (overlaps && ofA + furthestForward[middle + delta - k] >= part.lengthA()) {
          return Optional.of(new Place(part.lengthA() - ofA, part.lengthB() - (ofA - k)));
        }
      }
    }
    return Optional.empty();
  }

  /** One more edit on diagonal k, then all lines that are equal from there. */
  private int advance(Part part, int[] furthest, int d, int k, boolean forward) {
    int at = middle + k;
    boolean add = k == -d || (k != d && furthest[at - 1] < furthest[at + 1]);
    int start = add ? furthest[at + 1] : furthest[at - 1] + 1;
    int ofA = start;
    while (ofA < part.lengthA() && ofA - k < part.lengthB() && equal(part, ofA, ofA - k, forward)) {
      ofA++;
    }
    furthest[at] = ofA;
    workLeft -= 1 + ofA - start;
    return ofA;
  }

  private boolean equal(Part part, int ofA, int ofB, boolean forward) {
    return forward
        ? a[part.fromA + ofA] == b[part.fromB + ofB]
        : a[part.toA - 1 - ofA] == b[part.toB - 1 - ofB];
  }
}

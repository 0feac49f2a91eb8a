package io.forkd.core;

import io.forkd.linux.Fd;
import io.forkd.linux.Mapping;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageRange;
import java.util.List;

/**
 * One snapshot's own memory: the whole of a base, or the pages a delta changed, at their own
 * offsets in a sealed memfd of guest size. Templates of one family share layers, so each is counted
 * and freed with its last user.
 */
final class Layer {
  private final Memfd memory;
  private final List<PageRange> ranges;
  private final Mapping view;
  private int users = 1;

  private Layer(Memfd memory, List<PageRange> ranges) {
    this.memory = memory;
    this.ranges = List.copyOf(ranges);
    // Private, because older kernels refuse a shared mapping of sealed memory; never written.
    this.view = Mapping.copyOnWrite(memory.fd(), 0, memory.size());
  }

  /** Takes over a memfd nobody writes any more; from then on it is sealed. */
  static Layer sealing(Memfd memory, List<PageRange> ranges) {
    memory.seal();
    return new Layer(memory, ranges);
  }

  Fd fd() {
    return memory.fd();
  }

  Mapping view() {
    return view;
  }

  long guestBytes() {
    return memory.size();
  }

  /** The pages it has, ascending and disjoint. */
  List<PageRange> ranges() {
    return ranges;
  }

  long bytes() {
    return PageRanges.bytes(ranges);
  }

  synchronized Layer share() {
    if (users == 0) {
      throw new IllegalStateException("this layer is gone");
    }
    users++;
    return this;
  }

  /** Whether it could be shared: not when its last user has just let go of it. */
  synchronized boolean tryShare() {
    if (users == 0) {
      return false;
    }
    users++;
    return true;
  }

  synchronized boolean isGone() {
    return users == 0;
  }

  synchronized void release() {
    if (--users == 0) {
      view.close();
      memory.close();
    }
  }
}

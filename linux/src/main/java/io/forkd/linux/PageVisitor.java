package io.forkd.linux;

import java.nio.ByteBuffer;

/** Sees each page of a file that holds anything but zeros, in ascending order. */
@FunctionalInterface
public interface PageVisitor {
  PageVisitor NONE = (index, page) -> {};

  /**
   * One page.
   *
   * @param index its number: its offset in the file over {@link PageScan#PAGE}
   * @param page its bytes, padded with zeros at the end of the file; valid during the call only
   */
  void page(long index, ByteBuffer page);
}

package io.forkd.vmm;

/** Takes the pages of a guest's memory one by one, some of them again and again. */
public interface PageSink {
  /** The size of a page here, whatever the host's is. */
  int PAGE = 4096;

  /**
   * What a page holds now.
   *
   * @param offset in guest memory: within it, and a multiple of {@link #PAGE}
   * @param content one page; the next call may find other bytes in the same array
   */
  void page(long offset, byte[] content);

  /** That a page holds only zeros now. */
  void zero(long offset);
}

package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the memory in QEMU's migration stream. The stream is sections, each with a number at its
 * head and again at its foot; the one of memory begins with a list of blocks, of which one is guest
 * RAM, and goes on in parts with pages. What comes after the last part is the state of devices.
 *
 * <p>Whoever has taken over QEMU may send anything: all that does not belong into such a stream is
 * refused, and no page lies outside its block.
 */
final class RamStream {
  private static final int MAGIC = 0x5145564d;
  private static final int VERSION = 3;

  private static final int SECTION_START = 1;
  private static final int SECTION_PART = 2;
  private static final int SECTION_END = 3;
  private static final int SECTION_FOOTER = 0x7e;

  /** What the low bits of a page's address say. */
  private static final int ZERO = 0x02;

  private static final int SIZES = 0x04;
  private static final int PAGE = 0x08;
  private static final int END_OF_PART = 0x10;
  private static final int SAME_BLOCK = 0x20;
  private static final long FLAGS = PageSink.PAGE - 1;

  private static final String MEMORY = "ram";
  private static final int MOST_BLOCKS = 256;

  private final StreamInput in;
  private final long guestBytes;
  private final PageSink sink;
  private final byte[] content = new byte[PageSink.PAGE];
  private final Map<String, Block> blocks = new HashMap<>();
  private int section;
  private Optional<Block> last = Optional.empty();

  /** A range of memory that QEMU sends; only one is the guest's RAM, the others are firmware. */
  private record Block(long bytes, boolean isRam) {}

  /**
   * Prepares reading.
   *
   * @param guestBytes how large the guest's RAM is
   */
  RamStream(StreamInput in, long guestBytes, PageSink sink) {
    this.in = in;
    this.guestBytes = guestBytes;
    this.sink = sink;
  }

  /** Reads what memory there is. When this returns, QEMU watches all of it. */
  void readBlocks() throws IOException {
    expect("magic number", in.be32(), MAGIC);
    expect("version", in.be32(), VERSION);
    expect("first section", in.u8(), SECTION_START);
    section = in.be32();
    String name = in.name();
    if (!name.equals(MEMORY)) {
      throw malformed("begins with the state of '%s' instead of memory", name);
    }
    in.be32(); // which instance
    in.be32(); // its version: all that QEMU has had since 2.0 is told by flags instead
    readSizes();
    readPart();
  }

  /** Reads all pages, and what follows to the end of the stream. */
  void readPages() throws IOException {
    readFooter();
    boolean more = true;
    while (more) {
      int kind = in.u8();
      if (kind != SECTION_PART && kind != SECTION_END) {
        throw malformed("has a section of kind %d amid memory", kind);
      }
      expect("section", in.be32(), section);
      readPart();
      readFooter();
      more = kind == SECTION_PART;
    }
    in.drain();
  }

  private void readFooter() throws IOException {
    expect("end of a section", in.u8(), SECTION_FOOTER);
    expect("section at its end", in.be32(), section);
  }

  /** The sum of all blocks, then their names and sizes until that is reached. */
  private void readSizes() throws IOException {
    long head = in.be64();
    expect("list of memory blocks", head & FLAGS, SIZES);
    long left = head & ~FLAGS;
    while (left > 0) {
      String name = in.name();
      long bytes = in.be64();
      if (bytes <= 0 || bytes > left || bytes % PageSink.PAGE != 0) {
        throw malformed("has a memory block '%s' of %d bytes, with %d left", name, bytes, left);
      }
      boolean isRam = name.equals(MEMORY);
      if (isRam && bytes != guestBytes) {
        throw malformed("has %d bytes of guest memory instead of %d", bytes, guestBytes);
      }
      if (blocks.put(name, new Block(bytes, isRam)) != null || blocks.size() > MOST_BLOCKS) {
        throw malformed("has too many memory blocks, or one twice: '%s'", name);
      }
      left -= bytes;
    }
    if (left != 0 || !blocks.containsKey(MEMORY)) {
      throw malformed("has no block of guest memory among '%s'", blocks.keySet());
    }
  }

  private void readPart() throws IOException {
    while (true) {
      long head = in.be64();
      long offset = head & ~FLAGS;
      int flags = (int) (head & FLAGS);
      switch (flags & ~SAME_BLOCK) {
        case ZERO -> {
          Block block = blockOf(flags, offset);
          expect("byte of an empty page", in.u8(), 0);
          if (block.isRam()) {
            sink.zero(offset);
          }
        }
        case PAGE -> {
          Block block = blockOf(flags, offset);
          in.fill(content);
          if (block.isRam()) {
            sink.page(offset, content);
          }
        }
        case END_OF_PART -> {
          expect("end of a part", head, END_OF_PART);
          return;
        }
        default -> throw malformed("has a page of unknown kind 0x%x", flags);
      }
    }
  }

  private Block blockOf(int flags, long offset) throws IOException {
    if ((flags & SAME_BLOCK) == 0) {
      String name = in.name();
      last = Optional.ofNullable(blocks.get(name));
      if (last.isEmpty()) {
        throw malformed("has a page of an unknown memory block '%s'", name);
      }
    }
    Block block = last.orElseThrow(() -> malformed("has a page of no memory block"));
    if (offset < 0 || offset > block.bytes() - PageSink.PAGE) {
      throw malformed("has a page at %d of a block of %d bytes", offset, block.bytes());
    }
    return block;
  }

  private static void expect(String what, long found, long wanted) {
    if (found != wanted) {
      throw malformed("has 0x%x as %s instead of 0x%x", found, what, wanted);
    }
  }

  private static ForkdException malformed(String found, Object... arguments) {
    Object[] shown = arguments.clone();
    for (int i = 0; i < shown.length; i++) {
      if (!(shown[i] instanceof Number)) {
        shown[i] = Printable.shorten(String.valueOf(shown[i]));
      }
    }
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "QEMU's migration stream " + found.formatted(shown) + ": the VMM is not to be trusted");
  }
}

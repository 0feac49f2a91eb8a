package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RamStreamTest {
  private static final long GUEST = 4 * PageSink.PAGE;
  private static final long FIRMWARE = 2 * PageSink.PAGE;

  /** Notes what it is told, and fails when that lies outside the guest. */
  private static final class Notes implements PageSink {
    final List<String> told = new ArrayList<>();

    private static long number(long offset) {
      assertThat(offset).isBetween(0L, GUEST - PAGE);
      assertThat(offset % PAGE).isZero();
      return offset / PAGE;
    }

    @Override
    public void page(long offset, byte[] content) {
      assertThat(content).hasSize(PAGE);
      told.add("%d=%d".formatted(number(offset), content[PAGE - 1]));
    }

    @Override
    public void zero(long offset) {
      told.add("%d empty".formatted(number(offset)));
    }
  }

  private static List<String> read(byte[] stream) throws IOException {
    Notes notes = new Notes();
    RamStream memory =
        new RamStream(
            new StreamInput(Channels.newChannel(new ByteArrayInputStream(stream))), GUEST, notes);
    memory.readBlocks();
    memory.readPages();
    return notes.told;
  }

  private static ForgedStream head() {
    return new ForgedStream()
        .head(GUEST + FIRMWARE)
        .block("microvm.bios", FIRMWARE)
        .block("ram", GUEST)
        .endOfPart()
        .footer();
  }

  /** As a QEMU sends it: pages of two blocks, one page twice, then the state of a device. */
  private static ForgedStream sound() {
    return head()
        .part(2)
        .page("microvm.bios", 0, 9)
        .page("ram", 0, 1)
        .u64(PageSink.PAGE | ForgedStream.PAGE | ForgedStream.SAME_BLOCK)
        .filled(2)
        .u64(2 * PageSink.PAGE | ForgedStream.ZERO | ForgedStream.SAME_BLOCK)
        .u8(0)
        .endOfPart()
        .footer()
        .part(3)
        .u64(PageSink.PAGE | ForgedStream.PAGE | ForgedStream.SAME_BLOCK)
        .filled(3)
        .endOfPart()
        .footer()
        .u8(4)
        .u32(7)
        .name("cpu")
        .filled(0x55);
  }

  @Test
  void pagesOfTheGuestAreToldInTheirOrderAndNothingElse() throws IOException {
    assertThat(read(sound().bytes())).containsExactly("0=1", "1=2", "2 empty", "1=3");
  }

  @Test
  void aStreamThatEndsEarlyIsNeverWhole() {
    byte[] whole = sound().bytes();
    int end = whole.length - (1 + 4 + 4 + PageSink.PAGE);
    for (int length = 0; length < end; length += length < 200 ? 1 : 97) {
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> read(cut)).isInstanceOf(EOFException.class);
    }
  }

  private static void assertRefused(ForgedStream stream, String reason) {
    assertThatThrownBy(() -> read(stream.bytes()))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining(reason)
        .hasMessageContaining("migration stream");
  }

  @Test
  void noPageLiesOutsideItsBlock() {
    assertRefused(head().part(2).page("ram", GUEST, 1), "a page at 16384");
    assertRefused(head().part(2).page("ram", -PageSink.PAGE, 1), "a page at -4096");
    assertRefused(head().part(2).page("microvm.bios", FIRMWARE, 1), "a page at 8192");
    assertRefused(head().part(2).page("vga", 0, 1), "unknown memory block 'vga'");
    assertRefused(
        head().part(2).u64(ForgedStream.PAGE | ForgedStream.SAME_BLOCK).filled(1),
        "no memory block");
  }

  @Test
  void blocksMustAddUpToOneGuest() {
    assertRefused(new ForgedStream().head(GUEST * 2).block("ram", GUEST * 2), "instead of 16384");
    assertRefused(new ForgedStream().head(GUEST).block("ram", GUEST * 2), "of 32768 bytes");
    assertRefused(new ForgedStream().head(GUEST).block("ram", 0), "of 0 bytes");
    assertRefused(new ForgedStream().head(GUEST).block("ram", -GUEST), "of -16384 bytes");
    assertRefused(new ForgedStream().head(GUEST).block("other", GUEST), "no block of guest");
    assertRefused(new ForgedStream().head(0), "no block of guest");
    assertRefused(new ForgedStream().head(Long.MIN_VALUE), "no block of guest");
    assertRefused(
        new ForgedStream().head(GUEST * 2).block("ram", GUEST).block("ram", GUEST), "one twice");
    ForgedStream many = new ForgedStream().head(Long.MAX_VALUE & ~4095L);
    for (int i = 0; i < 300; i++) {
      many.block("b" + i, PageSink.PAGE);
    }
    assertRefused(many, "too many");
  }

  @Test
  void whatDoesNotBelongThereIsRefused() {
    assertRefused(new ForgedStream().u32(0x7f454c46).u32(3), "magic");
    assertRefused(new ForgedStream().u32(0x5145564d).u32(2), "version");
    assertRefused(new ForgedStream().u32(0x5145564d).u32(3).u8(7), "first section");
    assertRefused(
        new ForgedStream().u32(0x5145564d).u32(3).u8(1).u32(0).name("block").u32(0), "'block'");
    assertRefused(head().part(4), "kind 4");
    assertRefused(head().u8(2).u32(99), "section");
    assertRefused(head().part(2).u64(0x40).name("ram"), "unknown kind 0x40");
    assertRefused(head().part(2).u64(0x1010), "end of a part");
    assertRefused(head().part(2).u64(ForgedStream.ZERO).name("ram").u8(1), "empty page");
    assertRefused(head().part(2).endOfPart().u8(0x7d), "end of a section");
  }

  /** Whatever is changed, it is read, refused or found too short, and no page is misplaced. */
  @Test
  void noChangeOfAStreamDoesHarm() {
    byte[] sound = sound().bytes();
    Random random = new Random(5);
    int refused = 0;
    for (int i = 0; i < 2_000; i++) {
      byte[] changed = sound.clone();
      for (int n = random.nextInt(1, 4); n > 0; n--) {
        boolean early = random.nextBoolean();
        changed[random.nextInt(early ? 120 : changed.length)] = (byte) random.nextInt();
      }
      try {
        read(changed);
      } catch (ForkdException | EOFException e) {
        refused++;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    assertThat(refused).isPositive();
  }
}

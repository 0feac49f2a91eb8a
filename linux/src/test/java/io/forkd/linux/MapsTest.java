package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class MapsTest {
  private static final long SELF = ProcessHandle.current().pid();
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  /** Lines of start, end, permissions, file offset and name, as numbers of 0x1000 bytes. */
  private static Maps maps(String... lines) {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      String[] words = line.split(" ", 5);
      text.append(
          "%s000-%s000 %s %s000 00:01 1056%26s%s%n"
              .formatted(words[0], words[1], words[2], words[3], "", words[4]));
    }
    return Maps.parse(text.toString());
  }

  private static String found(Maps maps, long size) {
    Optional<MemoryArea> area = maps.span("forkd-ram-", size * 0x1000);
    return area.map(a -> "%x-%x %s".formatted(a.start() / 0x1000, a.end() / 0x1000, a.name()))
        .orElse("none");
  }

  @Test
  void aMappingOfTheWholeFileIsFoundByNameAndSize() {
    try (Memfd memfd = Memfd.create("maps-test", 16L * PAGE);
        Mapping mapping = Mapping.copyOnWrite(memfd.fd(), 0, 16L * PAGE)) {
      Maps maps = Maps.of(SELF).orElseThrow();
      MemoryArea area = maps.span("maps-test", 16L * PAGE).orElseThrow();
      assertThat(area.start()).isEqualTo(mapping.segment().address());
      assertThat(area.size()).isEqualTo(16L * PAGE);
      assertThat(area.copyOnWrite()).isTrue();
      assertThat(area.writable()).isTrue();
      assertThat(area.toString())
          .contains("maps-test")
          .doesNotContain(Long.toHexString(area.start()));
      assertThat(maps.span("maps-test", PAGE)).isEmpty();
      assertThat(maps.span("another", 16L * PAGE)).isEmpty();
    }
    assertThat(Maps.of(Integer.MAX_VALUE)).isEmpty();
  }

  @Test
  void memoryCutIntoPiecesByLayersIsOneSpan() {
    Maps maps =
        maps(
            "0f0 100 rw-p 0 [heap]",
            "100 108 rw-p 0 /memfd:forkd-ram-base (deleted)",
            "108 10c rw-p 8 /memfd:forkd-ram-one (deleted)",
            "10c 110 rw-p c /memfd:forkd-ram-two (deleted)",
            "110 120 rw-p 10 /memfd:forkd-ram-base (deleted)",
            "120 121 ---p 0 ");
    assertThat(found(maps, 0x20)).isEqualTo("100-120 /memfd:forkd-ram-base (deleted)");
    assertThat(found(maps, 0x21)).isEqualTo("none");
    assertThat(found(maps, 0x1f)).isEqualTo("none");
  }

  @Test
  void aLayerOverTheVeryBeginningIsPartOfTheSpan() {
    Maps maps =
        maps(
            "100 104 rw-p 0 /memfd:forkd-ram-layer (deleted)",
            "104 120 rw-p 4 /memfd:forkd-ram-base (deleted)");
    assertThat(found(maps, 0x20)).isEqualTo("100-120 /memfd:forkd-ram-layer (deleted)");
  }

  @Test
  void neighboursThatMerelyTouchAreNotMistaken() {
    // 0f8-108 and 108-118 have the size too, but only from 100 on is every page where it belongs.
    Maps maps =
        maps(
            "0f8 100 rw-p 0 /memfd:forkd-ram-other (deleted)",
            "100 108 rw-p 0 /memfd:forkd-ram-base (deleted)",
            "108 110 rw-p 8 /memfd:forkd-ram-base (deleted)",
            "110 118 rw-p 0 /memfd:forkd-ram-third (deleted)");
    assertThat(found(maps, 0x10)).isEqualTo("100-110 /memfd:forkd-ram-base (deleted)");
    assertThat(found(maps, 0x18)).isEqualTo("none");
  }

  @Test
  void piecesFromElsewhereInTheirFileAreASpanWhenNothingElseIs() {
    Maps maps =
        maps(
            "100 108 rw-p 0 /memfd:forkd-ram-base (deleted)",
            "108 110 rw-p 0 /memfd:forkd-ram-delta (deleted)",
            "110 120 rw-p 10 /memfd:forkd-ram-base (deleted)");
    assertThat(found(maps, 0x20)).isEqualTo("100-120 /memfd:forkd-ram-base (deleted)");
    assertThat(found(maps, 0x8)).as("two are as good").isEqualTo("none");
  }

  @Test
  void gapsOtherFilesAndReadOnlyPartsEndASpan() {
    String first = "100 108 rw-p 0 /memfd:forkd-ram-base (deleted)";
    String name = " /memfd:forkd-ram-base (deleted)";
    assertThat(found(maps(first, "109 111 rw-p 8" + name), 0x10)).isEqualTo("none");
    assertThat(found(maps(first, "108 110 r--p 8" + name), 0x10)).isEqualTo("none");
    assertThat(found(maps(first, "108 110 rw-p 8 [heap]"), 0x10)).isEqualTo("none");
    assertThat(found(maps("100 110 rw-p 8" + name), 0x10)).as("from its middle").isEqualTo("none");
    assertThat(found(maps(first, "108 110 rw-p 8" + name), 0x10)).startsWith("100-110");
  }
}

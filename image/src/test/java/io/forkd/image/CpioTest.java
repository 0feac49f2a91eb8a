package io.forkd.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CpioTest {
  @Test
  void anArchiveHoldsItsEntriesInOrderWithTheirFoldersFirst() {
    byte[] archive =
        new Cpio()
            .folder("dev")
            .device("dev/console", 0600, 5, 1)
            .file("init", 0755, "hello".getBytes(US_ASCII))
            .file("a/b/c", 0644, new byte[] {1, 2, 3, 4})
            .finish();

    assertThat(read(archive))
        .containsExactly(
            new Entry("dev", 040755, "", 0, 0),
            new Entry("dev/console", 020600, "", 5, 1),
            new Entry("init", 0100755, "hello", 0, 0),
            new Entry("a", 040755, "", 0, 0),
            new Entry("a/b", 040755, "", 0, 0),
            new Entry("a/b/c", 0100644, "\1\2\3\4", 0, 0));
    assertThat(archive.length % 4).isZero();
  }

  @Test
  void equalContentGivesEqualBytes() {
    assertThat(new Cpio().folder("x").finish()).isEqualTo(new Cpio().folder("x").finish());
  }

  record Entry(String path, int mode, String content, int major, int minor) {}

  /** Reads the newc form back, independently of how it is written. */
  static List<Entry> read(byte[] archive) {
    List<Entry> entries = new ArrayList<>();
    int at = 0;
    while (true) {
      assertThat(new String(archive, at, 6, US_ASCII)).isEqualTo("070701");
      int nameLength = field(archive, at, 11);
      int size = field(archive, at, 6);
      String name = new String(archive, at + 110, nameLength - 1, US_ASCII);
      int content = (at + 110 + nameLength + 3) / 4 * 4;
      if (name.equals("TRAILER!!!")) {
        return entries;
      }
      String text = new String(Arrays.copyOfRange(archive, content, content + size), US_ASCII);
      int major = field(archive, at, 9);
      entries.add(new Entry(name, field(archive, at, 1), text, major, field(archive, at, 10)));
      at = (content + size + 3) / 4 * 4;
    }
  }

  private static int field(byte[] archive, int entry, int index) {
    return Integer.parseInt(new String(archive, entry + 6 + index * 8, 8, US_ASCII), 16);
  }
}

package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Mapping;
import io.forkd.linux.Memfd;
import io.forkd.linux.MemoryArea;
import io.forkd.linux.PageMap;
import io.forkd.linux.PageRange;
import io.forkd.vmm.PageSink;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With memory of this process in the place of a guest's, on a host whose pages are of 4096. */
class ArrivedPagesTest {
  private static final int PAGE = PageSink.PAGE;
  private static final long SIZE = 64L * PAGE;

  private static byte[] filled(int with) {
    byte[] page = new byte[PAGE];
    Arrays.fill(page, (byte) with);
    return page;
  }

  @Test
  void onlyOwnPagesAreKeptAndThoseToldAgainAreDoubtful() {
    try (Memfd image = Memfd.create("image", SIZE);
        Memfd copy = Memfd.create("copy", SIZE);
        Mapping guest = Mapping.copyOnWrite(image.fd(), 0, SIZE);
        Mapping into = Mapping.shared(copy.fd(), 0, SIZE);
        PageMap pages = PageMap.open(ProcessHandle.current().pid())) {
      guest.write(16 * PAGE, filled(1));
      ArrivedPages arrived = new ArrivedPages(pages, MemoryArea.of(guest), into);
      arrived.page(0, filled(9)); // the template's
      arrived.page(16 * PAGE, filled(1));
      arrived.page(32 * PAGE, filled(9)); // the template's still
      guest.write(32 * PAGE, filled(2));
      guest.write(48 * PAGE, filled(3));
      arrived.page(32 * PAGE, filled(2));
      arrived.zero(48 * PAGE);
      assertThat(arrived.own()).containsExactlyElementsOf(List.of(range(16), range(32), range(48)));
      assertThat(arrived.doubtful()).containsExactly(range(32));
      assertThat(into.read(0, PAGE)).isEqualTo(filled(0));
      assertThat(into.read(16 * PAGE, PAGE)).isEqualTo(filled(1));
      assertThat(into.read(32 * PAGE, PAGE)).isEqualTo(filled(2));
      assertThat(into.read(48 * PAGE, PAGE)).isEqualTo(filled(0));
    }
  }

  private static PageRange range(int page) {
    return new PageRange((long) page * PAGE, PAGE);
  }
}

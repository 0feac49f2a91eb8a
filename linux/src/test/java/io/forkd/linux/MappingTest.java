package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MappingTest {
  private static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);

  @Test
  void sharedWritesReachTheFileAndPrivateOnesDoNot() {
    try (Memfd memfd = Memfd.create("m", 8192);
        Mapping shared = Mapping.shared(memfd.fd(), 0, 8192);
        Mapping copy = Mapping.copyOnWrite(memfd.fd(), 4096, 4096)) {
      shared.write(4096, new byte[] {1, 2});
      assertThat(copy.read(0, 2)).containsExactly(1, 2);
      copy.write(0, new byte[] {9});
      assertThat(FileIo.read(memfd.fd(), 4096, 2)).containsExactly(1, 2);
      assertThat(copy.read(0, 2)).containsExactly(9, 2);
    }
  }

  @Test
  void accessOutsideAfterClosingOrToAReadOnlyMappingIsAnExceptionNotACrash() {
    try (Memfd memfd = Memfd.create("m", 4096)) {
      Mapping mapping = Mapping.readOnly(memfd.fd(), 0, 4096);
      assertThat(mapping.size()).isEqualTo(4096);
      assertThatThrownBy(() -> mapping.read(4090, 7)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> mapping.read(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> mapping.write(0, new byte[1]))
          .isInstanceOf(IllegalArgumentException.class);
      mapping.close();
      mapping.close();
      assertThatThrownBy(() -> mapping.read(0, 1)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> Mapping.shared(memfd.fd(), 0, 4097))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(HostFilesTest.errno(() -> Mapping.shared(memfd.fd(), 1, 10).close()))
          .isEqualTo(Errno.EINVAL);
    }
  }

  @Test
  void aSealedFileCanBeMappedPrivatelyButNotShared() {
    try (Memfd memfd = Memfd.create("m", 4096)) {
      memfd.seal();
      assertThat(HostFilesTest.errno(() -> Mapping.shared(memfd.fd(), 0, 4096).close()))
          .isEqualTo(Errno.EPERM);
      try (Mapping mapping = Mapping.copyOnWrite(memfd.fd(), 0, 4096)) {
        mapping.write(0, new byte[] {1});
        assertThat(mapping.read(0, 1)).containsExactly(1);
      }
    }
  }

  @Test
  void populatedPagesHaveMemoryAndWhatTheyHeld() {
    try (Memfd memfd = Memfd.create("m", 64L * PAGE);
        Mapping mapping = Mapping.shared(memfd.fd(), 0, 64L * PAGE)) {
      mapping.write(9L * PAGE + 1, new byte[] {5});
      mapping.populate(List.of(new PageRange(8L * PAGE, 4L * PAGE), new PageRange(0, PAGE)));
      assertThat(FileStatus.of(memfd.fd()).allocatedBytes()).isEqualTo(5L * PAGE);
      assertThat(mapping.read(9L * PAGE, 3)).containsExactly(0, 5, 0);
      assertThatThrownBy(() -> mapping.populate(List.of(new PageRange(63L * PAGE, 2L * PAGE))))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  /** The way of kernels before 5.14, which this one is not. */
  @Test
  void touchedPagesHaveMemoryAndWhatTheyHeld() {
    try (Memfd memfd = Memfd.create("m", 64L * PAGE);
        Mapping mapping = Mapping.shared(memfd.fd(), 0, 64L * PAGE)) {
      mapping.write(9L * PAGE, new byte[] {5});
      Mapping.touch(mapping.segment().asSlice(8L * PAGE, 4L * PAGE));
      assertThat(FileStatus.of(memfd.fd()).allocatedBytes()).isEqualTo(4L * PAGE);
      assertThat(mapping.read(9L * PAGE, 2)).containsExactly(5, 0);
    }
  }

  @Test
  void pagesOfTwoMappingsCanBeCompared() {
    try (Mapping one = Mapping.anonymous(4L * PAGE);
        Mapping two = Mapping.anonymous(2L * PAGE)) {
      one.write(3L * PAGE - 1, new byte[] {1, 2});
      two.write(PAGE - 1, new byte[] {1, 2});
      assertThat(one.samePages(2L * PAGE, two, 0, 2L * PAGE)).isTrue();
      assertThat(one.samePages(PAGE, two, 0, PAGE)).isFalse();
      two.write(2L * PAGE - 1, new byte[] {1});
      assertThat(one.samePages(2L * PAGE, two, 0, 2L * PAGE)).isFalse();
      assertThatThrownBy(() -> one.samePages(3L * PAGE, two, 0, 2L * PAGE))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}

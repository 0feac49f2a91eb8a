package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MappingTest {
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
}

package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.linux.Memfd.Seal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MemfdTest {
  @Test
  void hasItsNameItsSizeAndNoMemoryYet() throws Exception {
    try (Memfd memfd = Memfd.create("forkd-test", 1 << 20)) {
      assertThat(memfd.size()).isEqualTo(1 << 20);
      assertThat(FileIo.size(memfd.fd())).isEqualTo(1 << 20);
      assertThat(FileStatus.of(memfd.fd()).allocatedBytes()).isZero();
      assertThat(Files.readSymbolicLink(Path.of("/proc/self/fd/" + memfd.fd().number())).toString())
          .contains("memfd:forkd-test");
    }
  }

  @Test
  void sealedRefusesWritingGrowingShrinkingAndUnsealing() {
    try (Memfd memfd = Memfd.create("forkd-test", 4096)) {
      FileIo.pwrite(memfd.fd(), ByteBuffer.wrap(new byte[] {7}), 0);
      assertThat(memfd.seals()).doesNotContain(Seal.WRITE, Seal.SEAL);
      memfd.seal();
      assertThat(memfd.seals()).contains(Seal.WRITE, Seal.GROW, Seal.SHRINK, Seal.SEAL);
      assertThat(HostFilesTest.errno(() -> FileIo.pwrite(memfd.fd(), ByteBuffer.allocate(1), 0)))
          .isEqualTo(Errno.EPERM);
      assertThat(HostFilesTest.errno(() -> FileIo.truncate(memfd.fd(), 8192)))
          .isEqualTo(Errno.EPERM);
      assertThat(HostFilesTest.errno(() -> FileIo.truncate(memfd.fd(), 0))).isEqualTo(Errno.EPERM);
      assertThat(HostFilesTest.errno(memfd::seal)).isEqualTo(Errno.EPERM);
      assertThat(FileIo.read(memfd.fd(), 0, 1)).containsExactly(7);
    }
  }

  @Test
  void refusesANegativeSizeAndALongName() {
    assertThatThrownBy(() -> Memfd.create("x", -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Memfd.create("x".repeat(250), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FdTest {
  @TempDir Path folder;

  @Test
  void closingClosesTheDescriptorOnce() {
    Fd fd = HostFiles.create(folder.resolve("file"), 0600);
    int number = fd.number();
    assertThat(Path.of("/proc/self/fd/" + number)).isSymbolicLink();
    fd.close();
    fd.close();
    assertThat(fd.isOpen()).isFalse();
    assertThatThrownBy(fd::number).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> fd.dupAbove(10)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void releasingGivesTheNumberAwayStillOpen() {
    Fd fd = HostFiles.create(folder.resolve("file"), 0600);
    int number = fd.release();
    fd.close();
    try (Fd again = Fd.owning(number)) {
      assertThat(FileIo.size(again)).isZero();
    }
    assertThatThrownBy(fd::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aDuplicateHasANumberAtLeastAsHighAsAskedAndClosesOnExec() throws Exception {
    try (Fd fd = HostFiles.create(folder.resolve("file"), 0600);
        Fd high = fd.dupAbove(700)) {
      assertThat(high.number()).isGreaterThanOrEqualTo(700);
      String info = Files.readString(Path.of("/proc/self/fdinfo/" + high.number()));
      assertThat(Integer.parseInt(info.replaceAll("(?s).*flags:\\s*(\\d+).*", "$1"), 8) & 0x80000)
          .isNotZero();
    }
  }

  @Test
  void refusesANumberThatIsNoDescriptor() {
    assertThatThrownBy(() -> Fd.owning(-1)).isInstanceOf(IllegalArgumentException.class);
  }
}

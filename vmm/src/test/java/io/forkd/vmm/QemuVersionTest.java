package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QemuVersionTest {
  @ParameterizedTest
  @CsvSource({
    "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18), 7.2.22",
    "QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2~bpo12+1), 10.0.2",
    "QEMU emulator version 8.2.2 (Debian 1:8.2.2+ds-0ubuntu1.10), 8.2.2",
    "QEMU emulator version 6.2.0 (Debian 1:6.2+dfsg-2ubuntu6.26), 6.2.0",
    "QEMU emulator version 9.1.50 (v9.1.0-1234-gdeadbeef), 9.1.50",
    "QEMU emulator version 10.1.0, 10.1.0",
    "QEMU emulator version 8.2 (Something), 8.2.0",
    "QEMU emulator version 9.0.0-rc1, 9.0.0"
  })
  void readsWhatDistributionsAndUpstreamPrint(String line, String expected) {
    assertThat(QemuVersion.parse(line).orElseThrow()).hasToString(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "qemu: command not found",
        "version",
        "version seven",
        "version 7",
        "QEMU emulator 7.2.1",
        "version .7.2",
        "version 99999999999.1.1",
        "version 7.99999999999",
        "version 7.2.99999999999"
      })
  void saysNothingAboutWhatNamesNoVersion(String line) {
    assertThat(QemuVersion.parse(line)).isEmpty();
  }

  @Test
  void ordersReleasesByNumberAndNotByText() {
    List<QemuVersion> ascending =
        List.of(
            new QemuVersion(6, 2, 0),
            new QemuVersion(7, 1, 99),
            new QemuVersion(7, 2, 0),
            new QemuVersion(7, 2, 9),
            new QemuVersion(7, 2, 10),
            new QemuVersion(8, 2, 0),
            new QemuVersion(10, 0, 0),
            new QemuVersion(10, 0, 2));
    for (int i = 0; i < ascending.size(); i++) {
      for (int j = 0; j < ascending.size(); j++) {
        assertThat(ascending.get(i).atLeast(ascending.get(j)))
            .as("%s at least %s", ascending.get(i), ascending.get(j))
            .isEqualTo(i >= j);
      }
    }
  }

  @Test
  void aQemuTooOldIsRefusedWithBothVersions() {
    QemuBinary old = new QemuBinary(Path.of("/opt/qemu"), "QEMU emulator version 6.2.0");
    assertThatThrownBy(old::version)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HOST_FAILED))
        .hasMessage("/opt/qemu is QEMU 6.2.0; forkd needs 7.2.0 or newer.");
  }

  @Test
  void aProgramThatNamesNoVersionIsRefusedWithWhatItSaid() {
    QemuBinary odd = new QemuBinary(Path.of("/opt/qemu"), "hello");
    assertThatThrownBy(odd::version)
        .hasMessageContaining("/opt/qemu")
        .hasMessageContaining("hello");
  }

  @ParameterizedTest
  @CsvSource({"aarch64, qemu-system-arm", "x86_64, qemu-system-x86"})
  void namesTheDebianPackage(String arch, String expected) {
    assertThat(QemuBinary.debianPackage(arch)).isEqualTo(expected);
  }

  @Test
  void aMissingQemuIsRefusedWithTheCommandThatInstallsIt() {
    assertThatThrownBy(() -> QemuBinary.require("no-such-arch"))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HOST_FAILED))
        .hasMessageContaining("no-such-arch")
        .hasMessageContaining("apt-get install");
  }
}

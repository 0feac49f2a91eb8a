package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostFilesTest {
  @TempDir Path folder;

  @Test
  void aFailedOpenNamesCallArgumentsAndReason() {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> HostFiles.open(missing, OpenFlag.READ))
        .asInstanceOf(type(LinuxException.class))
        .satisfies(
            e -> {
              assertThat(e.call()).isEqualTo("open");
              assertThat(e.errno()).isEqualTo(Errno.ENOENT);
              assertThat(e.errnoNumber()).isEqualTo(2);
              assertThat(e.arguments()).first().isEqualTo(missing.toString());
              assertThat(e)
                  .hasMessageStartingWith("open(" + missing)
                  .hasMessageEndingWith("ENOENT");
            });
  }

  @Test
  void anErrnoWithoutANameKeepsItsNumber() {
    LinuxException e = new LinuxException("x", LinuxException.texts(1), 4095);
    assertThat(e.errno()).isEqualTo(Errno.UNKNOWN);
    assertThat(e).hasMessage("x(1) failed: errno 4095");
  }

  @Test
  void openDoesNotFollowASymbolicLink() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    assertThat(errno(() -> HostFiles.open(link, OpenFlag.READ).close())).isEqualTo(Errno.ELOOP);
    assertThat(errno(() -> HostFiles.chmod(link, 0600))).isEqualTo(Errno.ELOOP);
  }

  @Test
  void openedFilesCloseOnExec() throws Exception {
    try (Fd fd = HostFiles.create(folder.resolve("file"), 0600)) {
      String info = Files.readString(Path.of("/proc/self/fdinfo/" + fd.number()));
      assertThat(Integer.parseInt(info.replaceAll("(?s).*flags:\\s*(\\d+).*", "$1"), 8) & 0x80000)
          .isNotZero();
    }
  }

  @Test
  void createRefusesANameThatIsTaken() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(errno(() -> HostFiles.create(file, 0600).close())).isEqualTo(Errno.EEXIST);
  }

  @Test
  void aDirectoryFlagRefusesAFile() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(errno(() -> HostFiles.syncDirectory(file))).isEqualTo(Errno.ENOTDIR);
    HostFiles.syncDirectory(folder);
  }

  @Test
  void aPathWithNulIsRefusedBeforeTheKernelSeesHalfOfIt() {
    assertThatThrownBy(() -> FileCalls.open("/etc/passwd\0.txt", 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void mkdirGivesExactlyTheModeAndChownTheNumbers() {
    Path made = folder.resolve("made");
    HostFiles.mkdir(made, 0773);
    HostFiles.chown(made, 12345, 54321);
    try (Fd fd = HostFiles.open(made, OpenFlag.PATH)) {
      FileStatus status = FileStatus.of(fd);
      assertThat(status.type()).isEqualTo(FileStatus.Type.DIRECTORY);
      assertThat(status.permissions()).isEqualTo(0773);
      assertThat(status.uid()).isEqualTo(12345);
      assertThat(status.gid()).isEqualTo(54321);
    }
    HostFiles.chown(made, -1, 0);
    try (Fd fd = HostFiles.open(made, OpenFlag.PATH)) {
      assertThat(FileStatus.of(fd).uid()).isEqualTo(12345);
      assertThat(FileStatus.of(fd).gid()).isZero();
    }
    assertThat(errno(() -> HostFiles.mkdir(made, 0700))).isEqualTo(Errno.EEXIST);
  }

  @Test
  void chownDoesNotFollowASymbolicLink() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    HostFiles.chown(link, 4242, 4242);
    assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(0);
  }

  static Errno errno(Runnable call) {
    try {
      call.run();
    } catch (LinuxException e) {
      return e.errno();
    }
    throw new AssertionError("the call succeeded");
  }
}

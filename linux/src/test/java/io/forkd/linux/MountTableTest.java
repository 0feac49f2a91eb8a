package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {
  @Test
  void readsTheMountsOfThisMachine() {
    MountTable table = MountTable.read();
    assertThat(table.ofType("proc")).extracting(MountTable.Mount::point).contains(Path.of("/proc"));
    assertThat(table.containing(Path.of("/proc/self")))
        .get()
        .extracting(MountTable.Mount::type)
        .isEqualTo("proc");
    assertThat(table.containing(Path.of("/"))).isPresent();
  }

  @Test
  void decodesEscapesOptionalFieldsAndPrefersTheNewestMount() {
    MountTable table =
        MountTable.parse(
            List.of(
                "22 1 0:21 / / rw,relatime - ext4 /dev/vda rw",
                "30 22 0:25 /sub /a\\040b\\134c ro,nosuid shared:1 master:2 - tmpfs tmp\\011fs rw,size=4k",
                "31 22 0:26 / /mnt rw - ext4 old rw",
                "32 31 0:27 / /mnt rw - xfs new rw"));
    MountTable.Mount odd = table.mounts().get(1);
    assertThat(odd.point()).isEqualTo(Path.of("/a b\\c"));
    assertThat(odd.root()).isEqualTo("/sub");
    assertThat(odd.source()).isEqualTo("tmp\tfs");
    assertThat(odd.superOptions()).containsExactlyInAnyOrder("rw", "size=4k");
    assertThat(odd.readOnly()).isTrue();
    assertThat(table.containing(Path.of("/mnt/x")))
        .get()
        .extracting(MountTable.Mount::source)
        .isEqualTo("new");
    assertThat(table.containing(Path.of("/mntx")))
        .get()
        .extracting(MountTable.Mount::point)
        .isEqualTo(Path.of("/"));
  }

  @Test
  void tellsTheFileSystemOfAPath() {
    assertThat(FileSystemInfo.of(Path.of("/proc")).type()).isEqualTo("proc");
    FileSystemInfo shm = FileSystemInfo.of(Path.of("/dev/shm"));
    assertThat(shm.type()).isEqualTo("tmpfs");
    assertThat(shm.totalBytes()).isGreaterThanOrEqualTo(shm.freeBytes()).isPositive();
    assertThat(shm.availableBytes()).isPositive();
    assertThat(HostFilesTest.errno(() -> FileSystemInfo.of(Path.of("/no/such/path"))))
        .isEqualTo(Errno.ENOENT);
  }
}

package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks in a made-up /sys, and what this machine's own says. */
class DisksTest {
  @TempDir Path sysfs;

  @BeforeEach
  void makeDisks() throws IOException {
    disk("sda", "8:0");
    disk("sda/sda2", "8:2");
    Files.writeString(sysfs.resolve("devices/block/sda/sda2/partition"), "2\n");
    disk("dm-0", "253:0");
    disk("sdb", "8:16");
    Path btrfs = Files.createDirectories(sysfs.resolve("fs/btrfs/0000-1111/devices"));
    Files.createSymbolicLink(btrfs.resolve("sda2"), sysfs.resolve("devices/block/sda/sda2"));
    Files.createSymbolicLink(btrfs.resolve("sdb"), sysfs.resolve("devices/block/sdb"));
    Files.createDirectories(sysfs.resolve("fs/btrfs/features"));
  }

  private void disk(String name, String numbers) throws IOException {
    Path folder = Files.createDirectories(sysfs.resolve("devices/block").resolve(name));
    Files.writeString(folder.resolve("dev"), numbers + "\n");
    Path byNumber = Files.createDirectories(sysfs.resolve("dev/block"));
    Files.createSymbolicLink(byNumber.resolve(numbers), folder);
  }

  private Disks behind(String mount) {
    return Disks.of(MountTable.parse(List.of(mount)), Path.of("/data/snapshots"), sysfs);
  }

  @Test
  void aPartitionStandsForItsWholeDisk() {
    assertThat(behind("30 1 8:2 / /data rw - ext4 /dev/sda2 rw"))
        .isEqualTo(new Disks("ext4", List.of(new BlockDevice(8, 0))));
  }

  @Test
  void aLogicalVolumeIsADiskOfItsOwn() {
    assertThat(behind("30 1 253:0 / /data rw - xfs /dev/mapper/vg-data rw").devices())
        .containsExactly(new BlockDevice(253, 0));
  }

  @Test
  void btrfsIsKeptOnAllOfItsDevices() {
    assertThat(behind("30 1 0:45 /@data /data rw - btrfs /dev/sdb rw").devices())
        .containsExactly(new BlockDevice(8, 0), new BlockDevice(8, 16));
  }

  @Test
  void fileSystemsOnNoDiskHaveNone() {
    assertThat(behind("30 1 0:25 / /data rw - tmpfs tmpfs rw"))
        .isEqualTo(new Disks("tmpfs", List.of()));
    assertThat(behind("30 1 0:26 / /data rw - overlay overlay rw,upperdir=/x"))
        .isEqualTo(new Disks("overlay", List.of()));
    assertThat(behind("30 1 0:27 / /data rw - btrfs /dev/sdz rw"))
        .isEqualTo(new Disks("btrfs", List.of()));
  }

  @Test
  void findsOutAboutThisMachine() {
    assertThat(Disks.behind(Path.of("/proc"))).isEqualTo(new Disks("proc", List.of()));
    assertThat(Disks.behind(Path.of("/dev/shm")).devices()).isEmpty();
    for (BlockDevice disk : Disks.behind(Path.of("/")).devices()) {
      assertThat(Path.of("/sys/dev/block/" + disk)).isDirectory();
      assertThat(Path.of("/sys/dev/block/" + disk + "/partition")).doesNotExist();
    }
  }
}

package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Cgroups.Limits;
import io.forkd.linux.Cgroups.Opening;
import io.forkd.linux.Cgroups.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CgroupLayoutTest {
  private static final String V2_MOUNT =
      "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";
  private static final String V1_MEMORY = "40 23 0:30 / /cg/memory rw - cgroup cgroup rw,memory";
  private static final String V1_CPU =
      "41 23 0:31 /docker/x /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct";

  @TempDir Path folder;

  private static CgroupLayout layout(String membership, String... mounts) {
    return CgroupLayout.of(MountTable.parse(List.of(mounts)), membership);
  }

  @Test
  void onlyTheUnifiedHierarchyIsVersion2() {
    CgroupLayout layout = layout("0::/system.slice/forkd.service\n", V2_MOUNT);
    assertThat(layout.version()).isEqualTo(Version.V2);
    assertThat(layout.unified()).contains(Path.of("/sys/fs/cgroup/system.slice/forkd.service"));
    assertThat(layout.unifiedRoot()).contains(Path.of("/sys/fs/cgroup"));
  }

  @Test
  void v1ControllersMayBeMountedTogetherAndInAContainer() {
    CgroupLayout layout = layout("3:cpu,cpuacct:/docker/x/sub\n2:memory:/a\n", V1_MEMORY, V1_CPU);
    assertThat(layout.version()).isEqualTo(Version.V1);
    assertThat(layout.v1())
        .containsEntry(Controller.MEMORY, Path.of("/cg/memory/a"))
        .containsEntry(Controller.CPU, Path.of("/cg/cpu/sub"))
        .containsEntry(Controller.CPUACCT, Path.of("/cg/cpu/sub"))
        .hasSize(3);
  }

  @Test
  void v1MemoryBesideAUnifiedHierarchyIsHybrid() {
    CgroupLayout layout = layout("2:memory:/\n0::/\n", V1_MEMORY, V2_MOUNT);
    assertThat(layout.version()).isEqualTo(Version.HYBRID);
    assertThat(layout.v1()).containsEntry(Controller.MEMORY, Path.of("/cg/memory"));
  }

  @Test
  void theControllersThereAreAreTold() throws Exception {
    Files.writeString(folder.resolve("cgroup.controllers"), "cpu io memory\n");
    CgroupLayout v2 = layout("0::/\n", V2_MOUNT.replace("/sys/fs/cgroup", folder.toString()));
    assertThat(v2.available())
        .contains(Controller.CPU, Controller.IO, Controller.MEMORY)
        .doesNotContain(Controller.PIDS);
    CgroupLayout v1 =
        layout(
            "2:memory:/\n5:blkio:/\n",
            V1_MEMORY,
            "42 23 0:32 / /cg/blkio rw - cgroup cgroup rw,blkio");
    assertThat(v1.available()).containsExactlyInAnyOrder(Controller.MEMORY, Controller.IO);
  }

  @Test
  void noMountIsNone() {
    assertThat(layout("0::/\n").version()).isEqualTo(Version.NONE);
  }

  @Test
  void aRealVersion2GroupKillsItsMembersAndGoes() throws Exception {
    Path root = CgroupLayout.detect().unifiedRoot().orElseThrow();
    Cgroups cgroups =
        CgroupV2Parent.at(root.resolve("forkd-test-" + ProcessHandle.current().pid()));
    try {
      Cgroup group = cgroups.create("one", Limits.NONE.withMemoryBytes(1 << 30).withPidsMax(9));
      Child child = CgroupsTest.startedInside(group, "sleep 300 & sleep 300 & wait");
      assertThat(group.processes()).contains(child.pid());
      assertThat(group.stats().cpu()).isPresent();
      group.destroy();
      assertThat(child.waitFor(Duration.ofSeconds(30))).contains(new ExitStatus.Killed(9));
      assertThat(cgroups.list()).isEmpty();
    } finally {
      cgroups.destroyAll();
    }
  }

  @Test
  void aGroupWithoutTheMemoryControllerIsPassedOverWithTheReason() throws Exception {
    Path own = Files.createDirectories(folder.resolve("slice/scope"));
    Files.createFile(own.resolve("cgroup.procs"));
    Files.writeString(own.resolve("cgroup.controllers"), "pids\n");
    assertThat(CgroupV2Parent.open(folder, own, "forkd", true))
        .isInstanceOfSatisfying(
            Opening.Unavailable.class,
            unavailable ->
                assertThat(unavailable.reason())
                    .contains("scope has no memory controller")
                    .contains("Delegate=yes"));
  }

  @Test
  void theNearestAncestorThatHandsOutMemoryServesWhenOurOwnGroupCannot() throws Exception {
    Path own = Files.createDirectories(folder.resolve("slice/scope"));
    Files.createFile(own.resolve("cgroup.procs"));
    Path slice = folder.resolve("slice");
    Files.createFile(slice.resolve("cgroup.procs"));
    Files.writeString(slice.resolve("cgroup.subtree_control"), "memory pids\n");
    assertThat(CgroupV2Parent.open(folder, own, "forkd", true)).isInstanceOf(Opening.Ready.class);
    assertThat(slice.resolve("forkd")).isDirectory();
  }

  @Test
  void aServiceHasItsGroupsInItsSliceSoThatItCanBeStartedAgain() throws Exception {
    Path slice = handingOutMemory("forkd.slice");
    Path own = handingOutMemory("forkd.slice/forkd.service");
    assertThat(CgroupV2Parent.open(folder, own, "forkd", true)).isInstanceOf(Opening.Ready.class);
    assertThat(slice.resolve("forkd")).isDirectory();
    assertThat(own.resolve("forkd")).doesNotExist();
  }

  @Test
  void aServiceThatMayNotUseItsSliceHasItsGroupsInItsOwn() throws Exception {
    Files.createDirectories(folder.resolve("user.slice"));
    Path own = handingOutMemory("user.slice/forkd.service");
    assertThat(CgroupV2Parent.open(folder, own, "forkd", true)).isInstanceOf(Opening.Ready.class);
    assertThat(own.resolve("forkd")).isDirectory();
  }

  @Test
  void theGroupIsOpenedWhereItIsAlready() throws Exception {
    handingOutMemory("forkd.slice");
    Path own = handingOutMemory("forkd.slice/forkd.service");
    Files.createDirectory(own.resolve("forkd"));
    assertThat(CgroupV2Parent.open(folder, own, "forkd", true)).isInstanceOf(Opening.Ready.class);
    assertThat(folder.resolve("forkd.slice/forkd")).doesNotExist();
  }

  @Test
  void aGroupAboveOursIsFoundAgain() throws Exception {
    Path slice = handingOutMemory("forkd.slice");
    handingOutMemory("forkd.slice/forkd.service");
    CgroupLayout layout =
        layout(
            "0::/forkd.slice/forkd.service\n",
            V2_MOUNT.replace("/sys/fs/cgroup", folder.toString()));
    assertThat(layout.hasGroup("forkd")).isFalse();
    Files.createDirectory(slice.resolve("forkd"));
    assertThat(layout.hasGroup("forkd")).isTrue();
  }

  private Path handingOutMemory(String name) throws Exception {
    Path group = Files.createDirectories(folder.resolve(name));
    Files.createFile(group.resolve("cgroup.procs"));
    for (String file : List.of("cgroup.controllers", "cgroup.subtree_control")) {
      Files.writeString(group.resolve(file), "memory pids\n");
    }
    return group;
  }
}

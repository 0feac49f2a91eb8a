package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Cgroups.Bandwidth;
import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Cgroups.Limits;
import io.forkd.linux.Cgroups.Stats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The words both versions use, in a folder of plain files: what is written last stays, and longer
 * texts show through behind shorter ones.
 */
class CgroupDialectTest {
  private static final BlockDevice DISK = new BlockDevice(254, 0);
  private static final BlockDevice OTHER = new BlockDevice(8, 16);
  private static final Limits ALL =
      Limits.NONE
          .withMemoryBytes(1000)
          .withCpus(0.125)
          .withPidsMax(7)
          .withIo(new Bandwidth(65536, List.of(DISK)));

  @TempDir Path folder;

  private Cgroup group(CgroupDialect dialect) {
    return new Cgroup(
        "fake",
        dialect,
        CgroupDirs.of(
            Arrays.stream(Controller.values())
                .collect(Collectors.toMap(Function.identity(), _ -> folder))));
  }

  private void files(String... names) throws IOException {
    for (String name : names) {
      Files.writeString(folder.resolve(name), "");
    }
  }

  private void content(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private void v2Files() throws IOException {
    files("memory.max", "memory.swap.max", "memory.oom.group", "cpu.max", "pids.max", "io.max");
  }

  private void v1Files() throws IOException {
    files("memory.limit_in_bytes", "cpu.cfs_period_us", "cpu.cfs_quota_us", "pids.max");
    files("blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device");
  }

  @Test
  void version2LimitsAreWrittenInItsWords() throws Exception {
    v2Files();
    group(CgroupDialect.V2).limit(ALL);
    assertThat(folder.resolve("memory.max")).hasContent("1000");
    assertThat(folder.resolve("memory.swap.max")).hasContent("0");
    assertThat(folder.resolve("memory.oom.group")).hasContent("1");
    assertThat(folder.resolve("cpu.max")).hasContent("12500 100000");
    assertThat(folder.resolve("pids.max")).hasContent("7");
    assertThat(folder.resolve("io.max")).hasContent("254:0 rbps=65536 wbps=65536");
  }

  @Test
  void version2LimitsAreLiftedByMax() throws Exception {
    v2Files();
    content("io.max", "8:16 rbps=5 wbps=5 riops=max wiops=max\n");
    group(CgroupDialect.V2).limit(Limits.NONE);
    for (String name : List.of("memory.max", "memory.swap.max", "pids.max")) {
      assertThat(folder.resolve(name)).hasContent("max");
    }
    assertThat(folder.resolve("cpu.max")).hasContent("max 100000");
    assertThat(folder.resolve("io.max")).content().startsWith("8:16 rbps=max wbps=max");
  }

  @Test
  void version1LimitsAreWrittenInItsWords() throws Exception {
    v1Files();
    content("memory.memsw.limit_in_bytes", "9223372036854771712");
    group(CgroupDialect.V1).limit(ALL);
    assertThat(folder.resolve("memory.limit_in_bytes")).hasContent("1000");
    assertThat(folder.resolve("memory.memsw.limit_in_bytes")).content().startsWith("1000");
    assertThat(folder.resolve("cpu.cfs_period_us")).hasContent("100000");
    assertThat(folder.resolve("cpu.cfs_quota_us")).hasContent("12500");
    assertThat(folder.resolve("blkio.throttle.read_bps_device")).hasContent("254:0 65536");
    assertThat(folder.resolve("blkio.throttle.write_bps_device")).hasContent("254:0 65536");
  }

  @Test
  void version1LimitsAreLiftedByItsOwnWords() throws Exception {
    v1Files();
    content("blkio.throttle.read_bps_device", "8:16 5");
    group(CgroupDialect.V1).limit(Limits.NONE);
    assertThat(folder.resolve("memory.limit_in_bytes")).hasContent("-1");
    assertThat(folder.resolve("cpu.cfs_quota_us")).hasContent("-1");
    assertThat(folder.resolve("pids.max")).hasContent("max");
    assertThat(folder.resolve("blkio.throttle.read_bps_device")).hasContent("8:16 0");
    assertThat(folder.resolve("blkio.throttle.write_bps_device")).isEmptyFile();
  }

  @Test
  void onlyWhatDiffersIsWrittenWhenTheFormerLimitsAreKnown() throws Exception {
    v2Files();
    group(CgroupDialect.V2).limit(ALL, ALL.withPidsMax(8));
    assertThat(folder.resolve("pids.max")).hasContent("8");
    for (String name : List.of("memory.max", "cpu.max", "io.max")) {
      assertThat(folder.resolve(name)).isEmptyFile();
    }
  }

  @Test
  void aDiskThatIsNoLongerMeantIsFreed() throws Exception {
    content("io.max", "8:16 rbps=5 wbps=5\n254:0 rbps=5 wbps=5\n");
    // Each write replaces the beginning of the file, so that the last one is seen.
    CgroupDirs dirs = CgroupDirs.of(java.util.Map.of(Controller.IO, folder));
    CgroupDialect.V2.limitIo(dirs, Optional.of(new Bandwidth(65536, List.of())));
    assertThat(folder.resolve("io.max")).content().startsWith("254:0 rbps=max wbps=max");
    content("io.max", "8:16 rbps=5 wbps=5\n");
    CgroupDialect.V2.limitIo(dirs, Optional.of(new Bandwidth(65536, List.of(OTHER))));
    assertThat(folder.resolve("io.max")).content().startsWith("8:16 rbps=65536 wbps=65536");
  }

  @Test
  void version2IsNotLimitedBelowWhatItHolds() throws Exception {
    v2Files();
    content("memory.current", "5000\n");
    content("memory.stat", "anon 900\ninactive_file 3000\nactive_file 1000\n");
    Cgroup group = group(CgroupDialect.V2);
    assertThat(HostFilesTest.errno(() -> group.limit(Limits.NONE.withMemoryBytes(999))))
        .isEqualTo(Errno.EBUSY);
    assertThat(folder.resolve("memory.max")).isEmptyFile();
    group.limit(Limits.NONE.withMemoryBytes(1000));
    assertThat(folder.resolve("memory.max")).as("the cache can be given up").hasContent("1000");
  }

  @Test
  void version2IsCountedFromItsFiles() throws Exception {
    content("memory.current", "4096\n");
    content("memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 1\n");
    content("cpu.stat", "usage_usec 1500\nuser_usec 1000\nnr_throttled 3\nthrottled_usec 250\n");
    content("pids.current", "5\n");
    assertThat(group(CgroupDialect.V2).stats())
        .isEqualTo(
            new Stats(
                Optional.of(4096L),
                Optional.of(Duration.ofNanos(1_500_000)),
                Optional.of(2L),
                Optional.of(5),
                Optional.of(Duration.ofNanos(250_000))));
  }

  @Test
  void version1IsCountedFromItsFiles() throws Exception {
    content("memory.usage_in_bytes", "4096\n");
    content("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    content("cpuacct.usage", "1500\n");
    content("cpu.stat", "nr_periods 3\nnr_throttled 3\nthrottled_time 250\n");
    content("pids.current", "5\n");
    assertThat(group(CgroupDialect.V1).stats())
        .isEqualTo(
            new Stats(
                Optional.of(4096L),
                Optional.of(Duration.ofNanos(1500)),
                Optional.of(2L),
                Optional.of(5),
                Optional.of(Duration.ofNanos(250))));
  }

  @Test
  void whatIsMissingIsLeftOutAndNotCounted() {
    Cgroup group = group(CgroupDialect.V2);
    group.limit(ALL);
    assertThat(folder).isEmptyDirectory();
    assertThat(group.stats()).isEqualTo(Stats.NONE);
  }
}

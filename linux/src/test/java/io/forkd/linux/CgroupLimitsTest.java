package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Cgroups.Bandwidth;
import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Cgroups.Limits;
import io.forkd.linux.Cgroups.Opening;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits of groups this machine really has, changed while something runs in them. */
@Timeout(60)
class CgroupLimitsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private Cgroups cgroups;

  @BeforeEach
  void open() {
    Opening opening = Cgroups.open("forkd-limits-" + ProcessHandle.current().pid());
    assertThat(opening).isInstanceOf(Opening.Ready.class);
    cgroups = ((Opening.Ready) opening).cgroups();
  }

  @AfterEach
  void destroy() {
    cgroups.destroyAll();
  }

  private void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void aGroupIsHeldBackAtItsShareOfAProcessorUntilThatIsLifted() throws Exception {
    assertThat(cgroups.missing()).doesNotContain(Controller.CPU);
    Cgroup group = cgroups.create("cpu", Limits.NONE.withCpus(0.05));
    CgroupsTest.startedInside(group, "while :; do :; done");
    await(() -> group.stats().throttled().orElseThrow().isPositive());
    group.limit(Limits.NONE);
    Duration lifted = group.stats().throttled().orElseThrow();
    Duration used = group.stats().cpu().orElseThrow();
    await(() -> group.stats().cpu().orElseThrow().compareTo(used.plusMillis(300)) > 0);
    // At the limit it would have been held back for six seconds in the meantime.
    assertThat(group.stats().throttled().orElseThrow()).isLessThan(lifted.plusSeconds(2));
  }

  @Test
  void aMemoryLimitIsRaisedLoweredAndLiftedInAnyOrder() {
    Cgroup group = cgroups.create("memory", Limits.NONE.withMemoryBytes(64 << 20));
    for (long mib : List.of(128L, 32L, 256L, 16L)) {
      group.limit(Limits.NONE.withMemoryBytes(mib << 20));
    }
    group.limit(Limits.NONE);
    group.limit(Limits.NONE.withMemoryBytes(64 << 20));
  }

  @Test
  void aLiftedMemoryLimitNoLongerKills() throws Exception {
    Cgroup group = cgroups.create("lifted", Limits.NONE.withMemoryBytes(16 << 20));
    group.limit(Limits.NONE);
    Child child =
        CgroupsTest.startedInside(group, "exec dd if=/dev/zero of=/dev/null bs=64M count=1");
    assertThat(child.waitFor(LONG)).contains(new ExitStatus.Exited(0));
    assertThat(group.stats().oomKills()).contains(0L);
  }

  @Test
  void aGroupCannotBeLimitedBelowWhatItHolds() throws Exception {
    Cgroup group = cgroups.create("holds", Limits.NONE);
    Path held = Files.createTempFile("forkd", "held");
    Child child =
        CgroupsTest.startedInside(
            group,
            "exec dd if=/dev/zero of=/dev/stdout bs=64M count=1 | (head -c 1 > %s; sleep 1000)"
                .formatted(held));
    await(() -> held.toFile().length() > 0);
    assertThat(HostFilesTest.errno(() -> group.limit(Limits.NONE.withMemoryBytes(16 << 20))))
        .isEqualTo(Errno.EBUSY);
    assertThat(child.alive()).isTrue();
    assertThat(group.stats().oomKills()).contains(0L);
    Files.delete(held);
  }

  @Test
  void threadsAreCountedAndTheirLimitIsLiftedWhileTheyRun() throws Exception {
    Cgroup group = cgroups.create("pids", Limits.NONE.withPidsMax(2));
    Child child = CgroupsTest.startedInside(group, "sleep 1000 & sleep 1000 & wait");
    assertThat(child.waitFor(LONG)).as("it gave up").isPresent();
    group.limit(Limits.NONE);
    CgroupsTest.startedInside(group, "for i in 1 2 3 4; do sleep 1000 & done; wait");
    await(() -> group.stats().pids().orElseThrow() >= 5);
  }

  @Test
  void bandwidthIsSetForADiskAndLiftedAgain() throws Exception {
    assertThat(cgroups.missing()).doesNotContain(Controller.IO);
    BlockDevice disk = anyDisk();
    Cgroup group = cgroups.create("io", Limits.NONE.withIo(new Bandwidth(1 << 20, List.of(disk))));
    assertThat(ioFile(group)).contains(disk + " ").contains("1048576");
    group.limit(Limits.NONE.withIo(new Bandwidth(2 << 20, List.of(disk))));
    assertThat(ioFile(group)).contains(disk + " ").contains("2097152");
    group.limit(Limits.NONE);
    assertThat(ioFile(group)).doesNotContain(disk + " ");
  }

  private static BlockDevice anyDisk() throws IOException {
    try (Stream<Path> disks = Files.list(Path.of("/sys/block"))) {
      return disks
          .flatMap(disk -> ProcFile.read(disk.resolve("dev")).stream())
          .flatMap(numbers -> BlockDevice.at(numbers).stream())
          .findFirst()
          .orElseThrow();
    }
  }

  private static String ioFile(Cgroup group) {
    return Stream.of("io.max", "blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device")
        .flatMap(name -> group.file(Controller.IO, name).stream())
        .flatMap(file -> ProcFile.read(file).stream())
        .reduce("", String::concat);
  }
}

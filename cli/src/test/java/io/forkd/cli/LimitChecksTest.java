package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Cgroups;
import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Disks;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LimitChecksTest {
  @Test
  void aHostWithAllControllersKeepsAllLimits() {
    Finding finding = LimitChecks.cgroup(Cgroups.Version.V2, EnumSet.allOf(Controller.class));
    assertThat(finding.level()).isEqualTo(Finding.Level.OK);
    assertThat(finding.found()).isEqualTo("v2 with memory, cpu, pids, io");
  }

  @Test
  void aMissingControllerIsNamedWithWhatIsRefused() {
    Finding finding =
        LimitChecks.cgroup(
            Cgroups.Version.HYBRID, Set.of(Controller.MEMORY, Controller.CPU, Controller.FREEZER));
    assertThat(finding.level()).isEqualTo(Finding.Level.WARN);
    assertThat(finding.found()).isEqualTo("hybrid with memory, cpu");
    assertThat(finding.meaning()).isEqualTo("limits by pids, io are refused");
  }

  @Test
  void withoutCgroupsAllLimitsAreRefused() {
    assertThat(LimitChecks.cgroup(Cgroups.Version.NONE, Set.of()).meaning())
        .isEqualTo("all limits are refused");
  }

  @Test
  void bandwidthNeedsADisk() {
    assertThat(LimitChecks.bandwidth(new Disks("overlay", List.of())).found())
        .isEqualTo("the data folder is on overlay, which is on no disk of its own");
    assertThat(LimitChecks.bandwidth(Disks.behind(java.nio.file.Path.of("/proc"))).level())
        .isEqualTo(Finding.Level.WARN);
  }
}

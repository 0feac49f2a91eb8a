package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs every probe on this machine, whatever it offers, and holds it to what /proc and /dev say.
 */
@Timeout(60)
class ProbesTest {
  @Test
  void kvmNeedsItsDevice() {
    Probe kvm = Probes.kvm();
    assertThat(kvm.reason()).contains("/dev/kvm");
    if (!Files.exists(Path.of("/dev/kvm"))) {
      assertThat(kvm.works()).isFalse();
    }
  }

  @Test
  void userfaultfdTellsItsFeaturesByName() {
    Probes.UserfaultfdSupport support = Probes.userfaultfd();
    if (support.available()) {
      assertThat(support.features()).contains(Userfaultfd.Feature.EVENT_FORK);
      assertThat(support.reason()).contains("faults");
    } else {
      assertThat(support.features()).isEmpty();
      assertThat(support.reason()).contains("userfaultfd");
    }
  }

  @Test
  void featureBitsHaveTheOrderOfTheKernelsHeader() {
    assertThat(Userfaultfd.Feature.of(1 | 1 << 12 | 1 << 13 | 1 << 15))
        .isEqualTo(
            Set.of(
                Userfaultfd.Feature.PAGEFAULT_FLAG_WP,
                Userfaultfd.Feature.WP_HUGETLBFS_SHMEM,
                Userfaultfd.Feature.WP_UNPOPULATED,
                Userfaultfd.Feature.WP_ASYNC));
  }

  /** A user without rights sees why not; root on a kernel that has it all sees that it works. */
  @Test
  void liveBranchesNeedWriteTrackingPageScansAndTracing() {
    Probe live = Probes.liveBranch();
    boolean parts =
        Probes.userfaultfd().features().containsAll(Userfaultfd.WRITE_TRACKING)
            && Probes.pagemapScan().works()
            && Probes.ptrace().works();
    System.out.println("live branches here: " + live);
    if (!parts) {
      assertThat(live.works()).isFalse();
    } else if (HostInfo.isRoot()) {
      assertThat(live).isEqualTo(new Probe(true, live.reason()));
      assertThat(live.reason()).contains("WP_ASYNC", "PAGEMAP_SCAN", "ptrace");
    }
    assertThat(live.reason()).isNotBlank();
  }

  @Test
  void memoryFilesCanBeSealedEverywhere() {
    assertThat(Probes.memfdSealing().works()).isTrue();
  }

  @Test
  void everyProbeGivesAReasonAndLeavesNothingOpen() throws Exception {
    var before = Descriptors.open();
    assertThat(Probes.pagemapScan().reason()).isNotBlank();
    assertThat(Probes.namespaces().reason()).isNotBlank();
    assertThat(Probes.nftables().reason()).contains("nft");
    assertThat(Probes.ipForward().reason()).contains("ip_forward");
    assertThat(Probes.ptrace().reason()).isNotBlank();
    assertThat(Probes.liveBranch().reason()).isNotBlank();
    assertThat(TapProbe.run().reason()).isNotBlank();
    assertThat(SoftDirtyProbe.run().reason()).isNotBlank();
    assertThat(Probes.hugePages().pageBytes()).isNotNegative();
    assertThat(TscFrequency.read().isPresent()).isEqualTo(Arch.host() == Arch.X86_64);
    assertThat(Descriptors.open()).isEqualTo(before);
    assertThat(Files.readString(Path.of("/proc/net/dev"))).doesNotContain("fkprobe");
  }

  @Test
  void aMissingProgramIsNoOutput() {
    assertThat(CommandOutput.of("forkd-no-such-program")).isEmpty();
    assertThat(CommandOutput.of("sh", "-c", "echo a; echo b >&2; exit 3"))
        .contains(new CommandOutput(3, "a\nb"));
  }

  @Test
  void tellsKernelBootAndCLibrary() {
    assertThat(HostInfo.kernelRelease()).isEqualTo(System.getProperty("os.version"));
    assertThat(HostInfo.bootId()).hasSize(36);
    assertThat(HostInfo.glibcVersion()).matches("2\\.\\d+");
    assertThat(HostInfo.instructionCacheLine()).isNotNull();
    assertThat(HostInfo.isRoot()).isEqualTo("root".equals(System.getProperty("user.name")));
  }

  @Test
  void theLastFrequencyTheKernelLoggedCounts() {
    String log =
        "tsc: Detected 2900.000 MHz processor\ntsc: Refined TSC clocksource calibration: 2893.202 MHz";
    assertThat(
            TscFrequency.last(
                Pattern.compile("tsc: .*? ([0-9.]+) MHz"), log, TscFrequency.Source.KERNEL_LOG))
        .contains(new TscFrequency(2_893_202, TscFrequency.Source.KERNEL_LOG));
  }
}

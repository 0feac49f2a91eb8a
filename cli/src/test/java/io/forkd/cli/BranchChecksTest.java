package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Probe;
import org.junit.jupiter.api.Test;

class BranchChecksTest {
  private static final Probe YES = new Probe(true, "works");
  private static final Probe NO = new Probe(false, "missing");

  @Test
  void aHostWithoutLiveBranchesIsToldHowToGetThem() {
    assertThat(BranchChecks.live(YES).level()).isEqualTo(Finding.Level.OK);
    assertThat(BranchChecks.live(NO).level()).isEqualTo(Finding.Level.WARN);
    assertThat(BranchChecks.live(NO).fix()).contains("6.7", "6.10", "ptrace_scope");
  }

  @Test
  void softDirtyMattersOnlyWhereLiveBranchesDoNotWork() {
    assertThat(BranchChecks.softDirty(YES, NO).level()).isEqualTo(Finding.Level.OK);
    assertThat(BranchChecks.softDirty(YES, NO).meaning()).contains("not needed");
    assertThat(BranchChecks.softDirty(NO, YES).level()).isEqualTo(Finding.Level.OK);
    assertThat(BranchChecks.softDirty(NO, NO).level()).isEqualTo(Finding.Level.WARN);
    assertThat(BranchChecks.softDirty(NO, NO).meaning()).contains("by diff");
  }

  @Test
  void diffBranchesFallBackToReadingThePagemap() {
    assertThat(BranchChecks.diff(YES, NO).level()).isEqualTo(Finding.Level.OK);
    assertThat(BranchChecks.diff(NO, YES).level()).isEqualTo(Finding.Level.WARN);
    assertThat(BranchChecks.diff(NO, YES).meaning()).contains("diff branches work");
    assertThat(BranchChecks.diff(NO, NO).meaning()).contains("no sandbox can be branched");
  }

  @Test
  void everyProbeOfThisHostSaysWhatItFound() {
    assertThat(BranchChecks.of())
        .extracting(Check::name)
        .containsExactly("branch-live", "soft-dirty", "branch-diff");
    assertThat(BranchChecks.of())
        .allSatisfy(
            check -> {
              assertThat(check.run().found())
                  .isNotBlank()
                  .doesNotContain("the check itself failed");
            });
    assertThat(HostProbes.pagemap().reason()).contains("/proc/self/pagemap");
  }
}

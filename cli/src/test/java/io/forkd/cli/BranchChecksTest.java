package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Probe;
import java.util.Optional;
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
    assertThat(BranchChecks.softDirty(NO, NO).meaning()).contains("migration");
  }

  @Test
  void migrationServesWhereNothingElseDoesOrWhenItIsChosen() {
    Optional<String> nothing = Optional.empty();
    assertThat(BranchChecks.migration(YES, NO, nothing).meaning()).contains("not needed");
    assertThat(BranchChecks.migration(NO, YES, nothing).meaning()).contains("not needed");
    assertThat(BranchChecks.migration(NO, NO, nothing).level()).isEqualTo(Finding.Level.WARN);
    assertThat(BranchChecks.migration(YES, YES, Optional.of("migration")).found())
        .isEqualTo("FORKD_LIVE_BRANCH=migration");
    assertThat(BranchChecks.migration(YES, YES, Optional.of("uffd")).level())
        .isEqualTo(Finding.Level.FAIL);
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
    assertThat(BranchChecks.of(Optional.empty()))
        .extracting(Check::name)
        .containsExactly("branch-live", "soft-dirty", "branch-migration", "branch-diff");
    assertThat(BranchChecks.of(Optional.empty()))
        .allSatisfy(
            check -> {
              assertThat(check.run().found())
                  .isNotBlank()
                  .doesNotContain("the check itself failed");
            });
    assertThat(HostProbes.pagemap().reason()).contains("/proc/self/pagemap");
  }
}

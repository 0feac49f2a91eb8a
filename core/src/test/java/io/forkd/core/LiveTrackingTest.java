package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.linux.Probe;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LiveTrackingTest {
  private static final Probe YES = new Probe(true, "it works");
  private static final Probe NO = new Probe(false, "the kernel is too old");

  private static LiveTracking found(Probe userfaultfd, Probe softDirty) {
    return LiveTracking.choose(Map.of(), () -> userfaultfd, () -> softDirty);
  }

  private static LiveTracking wanted(String way, Probe found) {
    return LiveTracking.choose(Map.of(LiveTracking.VARIABLE, way), () -> found, () -> found);
  }

  @Test
  void userfaultfdIsBestThenSoftDirtyThenTheVmmsOwn() {
    assertThat(found(YES, YES).way()).isEqualTo(BranchWay.USERFAULTFD);
    assertThat(found(YES, NO).way()).isEqualTo(BranchWay.USERFAULTFD);
    assertThat(found(NO, YES).way()).isEqualTo(BranchWay.SOFT_DIRTY);
    assertThat(found(NO, NO).way()).isEqualTo(BranchWay.MIGRATION);
    assertThat(wanted("auto", YES)).isEqualTo(wanted("", YES)).isEqualTo(found(YES, YES));
  }

  @Test
  void whatIsMissingIsSaid() {
    assertThat(found(NO, YES).reason()).contains("too old");
    assertThat(found(NO, NO).reason()).contains("migration", "too old");
    assertThat(found(NO, YES).needsUserfaultfd()).isFalse();
  }

  @Test
  void anOperatorChooses() {
    assertThat(wanted("userfaultfd", YES).way()).isEqualTo(BranchWay.USERFAULTFD);
    assertThat(wanted("soft-dirty", YES).way()).isEqualTo(BranchWay.SOFT_DIRTY);
    assertThat(wanted("migration", YES).way()).isEqualTo(BranchWay.MIGRATION);
    assertThat(wanted("off", YES).works()).isFalse();
    assertThat(wanted("off", YES).reason()).isEqualTo("FORKD_LIVE_BRANCH=off");
  }

  @Test
  void whatTheHostCannotDoOrNobodyKnowsIsRefused() {
    assertThatThrownBy(() -> wanted("userfaultfd", NO))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("too old");
    assertThatThrownBy(() -> wanted("soft-dirty", NO)).hasMessageContaining("too old");
    assertThatThrownBy(() -> wanted("uffd", YES))
        .hasMessageContaining("FORKD_LIVE_BRANCH is 'uffd'")
        .hasMessageContaining("userfaultfd, soft-dirty, migration, off or auto");
  }

  @Test
  void aSandboxWithoutATrackerGoesTheVmmsWay() {
    assertThat(found(YES, NO).of(Optional.of(7))).isEqualTo(new Capturer.ByUserfaultfd(7));
    assertThat(found(YES, NO).of(Optional.empty())).isEqualTo(new Capturer.ByMigration());
    assertThat(found(NO, YES).of(Optional.of(7))).isEqualTo(new Capturer.BySoftDirty());
    assertThat(wanted("migration", YES).of(Optional.of(7))).isEqualTo(new Capturer.ByMigration());
    assertThat(wanted("off", YES).of(Optional.of(7))).isEqualTo(new Capturer.WhilePaused());
  }
}

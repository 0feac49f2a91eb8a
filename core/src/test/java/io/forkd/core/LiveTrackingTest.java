package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Probe;
import org.junit.jupiter.api.Test;

class LiveTrackingTest {
  private static final Probe YES = new Probe(true, "it works");
  private static final Probe NO = new Probe(false, "the kernel is too old");

  @Test
  void userfaultfdIsBestAndSoftDirtyServesWhereItIsMissing() {
    assertThat(LiveTracking.choose(YES, YES).way()).isEqualTo(LiveTracking.Way.USERFAULTFD);
    assertThat(LiveTracking.choose(YES, NO).way()).isEqualTo(LiveTracking.Way.USERFAULTFD);
    assertThat(LiveTracking.choose(NO, YES).way()).isEqualTo(LiveTracking.Way.SOFT_DIRTY);
    assertThat(LiveTracking.choose(NO, NO).way()).isEqualTo(LiveTracking.Way.NONE);
  }

  @Test
  void whatIsMissingIsSaid() {
    assertThat(LiveTracking.choose(NO, YES).reason()).contains("too old");
    assertThat(LiveTracking.choose(NO, NO).works()).isFalse();
    assertThat(LiveTracking.choose(NO, YES).needsUserfaultfd()).isFalse();
  }
}

package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RatiosTest {
  @Test
  void theSlopeOfAStraightLineIsExact() {
    assertThat(Ratios.slope(Map.of(0, 3.0, 10, 5.0, 50, 13.0)).orElseThrow())
        .isCloseTo(0.2, within(1e-12));
  }

  @Test
  void pointsBesideTheLinePullItByTheirSquares() {
    // By hand: means 1 and 2; Σ(x-1)(y-2) = 1 + 0 + 2; Σ(x-1)² = 2.
    assertThat(Ratios.slope(Map.of(0, 1.0, 1, 1.0, 2, 4.0)).orElseThrow())
        .isCloseTo(1.5, within(1e-12));
  }

  @Test
  void aSingleSizeHasNoSlope() {
    assertThat(Ratios.slope(Map.of(10, 5.0))).isEmpty();
    assertThat(Ratios.slope(Map.of())).isEmpty();
  }

  @Test
  void nothingIsComparedWithZeroOrNothing() {
    assertThat(Ratios.of(6, 4)).contains(1.5);
    assertThat(Ratios.of(6, 0)).isEmpty();
    assertThat(Ratios.of(Optional.of(6.0), Optional.empty())).isEmpty();
    assertThat(Ratios.of(Optional.empty(), Optional.of(1.0))).isEmpty();
  }

  @Test
  void consecutiveBranchesAreComparedByTheirEndsAndByMediansOfFive() {
    Samples ten = Samples.of(List.of(2.0, 9.0, 4.0, 4.0, 4.0, 7.0, 6.0, 6.0, 6.0, 3.0));
    Consecutive one = new Consecutive("live", 10, List.of(ten));
    assertThat(one.lastToFirst()).contains(1.5);
    assertThat(one.firstFewMs()).contains(4.0);
    assertThat(one.lastFewMs()).contains(6.0);
    assertThat(one.endToBeginning()).contains(1.5);
  }

  @Test
  void oneDisturbedSeriesOfConsecutiveBranchesDoesNotCount() {
    Samples quiet = Samples.of(List.of(4.0, 5.0, 6.0));
    Samples disturbed = Samples.of(List.of(4.0, 5.0, 60.0));
    Consecutive three = new Consecutive("live", 10, List.of(quiet, disturbed, quiet));
    assertThat(three.lastToFirst()).contains(1.5);
    assertThat(three.firstMs()).contains(4.0);
    assertThat(three.lastMs()).contains(6.0);
  }

  @Test
  void noBranchesAreNotCompared() {
    assertThat(new Consecutive("live", 10, List.of()).lastToFirst()).isEmpty();
    assertThat(new Consecutive("live", 10, List.of(Samples.NONE)).endToBeginning()).isEmpty();
  }
}

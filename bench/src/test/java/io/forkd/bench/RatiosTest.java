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
    Consecutive ten =
        new Consecutive(
            "live", 10, Samples.of(List.of(2.0, 9.0, 4.0, 4.0, 4.0, 7.0, 6.0, 6.0, 6.0, 3.0)));
    assertThat(ten.lastToFirst()).contains(1.5);
    assertThat(ten.beginning().p50()).contains(4.0);
    assertThat(ten.end().p50()).contains(6.0);
    assertThat(ten.endToBeginning()).contains(1.5);
    assertThat(new Consecutive("live", 10, Samples.NONE).lastToFirst()).isEmpty();
    assertThat(new Consecutive("live", 10, Samples.NONE).endToBeginning()).isEmpty();
  }
}

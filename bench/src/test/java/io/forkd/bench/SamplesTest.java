package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplesTest {
  @Test
  void aPercentileIsAValueThatWasMeasured() {
    Samples hundred =
        Samples.of(IntStream.rangeClosed(1, 100).mapToObj(i -> (double) (101 - i)).toList());
    assertThat(hundred.p50()).contains(50.0);
    assertThat(hundred.p99()).contains(99.0);
    assertThat(hundred.max()).contains(100.0);
    assertThat(hundred.min()).contains(1.0);
    assertThat(hundred.percentile(0.1)).contains(1.0);
    assertThat(hundred.mean()).contains(50.5);
  }

  @Test
  void ofFewValuesTheHighPercentileIsTheLargest() {
    Samples three = Samples.of(List.of(7.0, 1.0, 3.0));
    assertThat(three.p50()).contains(3.0);
    assertThat(three.p99()).contains(7.0);
    assertThat(Samples.of(List.of(4.0)).p50()).contains(4.0);
  }

  @Test
  void nothingMeasuredHasNoPercentileAndNoMean() {
    assertThat(Samples.NONE.p50()).isEmpty();
    assertThat(Samples.NONE.mean()).isEmpty();
    assertThat(Samples.NONE.min()).isEmpty();
  }

  @Test
  void aPercentileIsAboveZeroAndAtMostAHundred() {
    assertThatThrownBy(() -> Samples.NONE.percentile(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Samples.NONE.percentile(100.1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchOptionsTest {
  private static final Path RESULTS = Path.of("/results");

  private static BenchOptions parse(String line) {
    return BenchOptions.parse(line.isEmpty() ? List.of() : List.of(line.split(" ")), RESULTS, 2);
  }

  @Test
  void spawnMeasuresAHundredChildrenTwoPerCoreUnlessToldOtherwise() {
    assertThat(parse("spawn --tag py"))
        .isEqualTo(
            new SpawnOptions(
                "py",
                100,
                false,
                false,
                Optional.empty(),
                Optional.empty(),
                20,
                4,
                false,
                RESULTS));
  }

  @Test
  void everyOptionOfSpawnIsUnderstoodWithAndWithoutAnEqualsSign() {
    assertThat(
            parse(
                "spawn --tag=py --n 10 --pool --peers --peer-n=5 --boots 2 --measured 0 --parallel 3"
                    + " --json --out /elsewhere"))
        .isEqualTo(
            new SpawnOptions(
                "py",
                10,
                true,
                true,
                Optional.of(5),
                Optional.of(2),
                0,
                3,
                true,
                Path.of("/elsewhere")));
  }

  @Test
  void noMoreChildrenAreLookedAtThanAreForked() {
    assertThat(((SpawnOptions) parse("spawn --tag py --n 5")).measured()).isEqualTo(5);
  }

  @Test
  void churnForksFiveHundredTimesUnlessToldOtherwise() {
    assertThat(parse("churn --tag py")).isEqualTo(new ChurnOptions("py", 500, false));
    assertThat(parse("churn --tag py --n 3 --json")).isEqualTo(new ChurnOptions("py", 3, true));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|'' is no benchmark: there are spawn and churn.",
        "boot --tag py|'boot' is no benchmark: there are spawn and churn.",
        "spawn|--tag is missing: name a snapshot, as `forkd images` lists them.",
        "spawn --tag|--tag needs a value.",
        "spawn --tag=|--tag needs a value.",
        "spawn --tag py --n 0|--n is '0': use a number from 1 to 1000.",
        "spawn --tag py --n 1001|--n is '1001': use a number from 1 to 1000.",
        "spawn --tag py --n ten|--n is 'ten': use a number from 1 to 1000.",
        "spawn --tag py --n 5 --peer-n 6|--peer-n is '6': use a number from 1 to 5.",
        "spawn --tag py --tag px|--tag is given twice.",
        "spawn --tag py --pol|bench spawn has no option --pol.",
        "spawn --tag py --pool=yes|bench spawn has no option --pool=yes.",
        "churn --tag py --pool|bench churn has no option --pool.",
      },
      quoteCharacter = '"')
  void whatMakesNoSenseIsRefusedWithTheReason(String line, String message) {
    assertThatThrownBy(() -> parse(line.equals("''") ? "" : line))
        .isInstanceOf(ForkdException.class)
        .hasMessage(message);
  }

  @Test
  void aTagThatCouldLeadOutOfAFolderIsRefused() {
    assertThatThrownBy(() -> parse("spawn --tag ../x"))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("'../x' is not a tag");
  }
}

package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.client.BranchMode;
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
                "spawn --tag=py --n 10 --pool --peers --peer-n=5 --boots 2 --measured 0 --parallel"
                    + " 3 --json --out /elsewhere"))
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

  @Test
  void branchMeasuresWhatIsPromisedUnlessToldOtherwise() {
    assertThat(parse("branch --tag py"))
        .isEqualTo(
            new BranchOptions(
                "py",
                List.of(0, 10, 50, 100, 250),
                List.of(BranchMode.DIFF, BranchMode.LIVE),
                List.of(0, 1, 3),
                10,
                5,
                false,
                RESULTS));
  }

  @Test
  void everyOptionOfBranchIsUnderstoodAndNumbersAreSorted() {
    assertThat(
            parse(
                "branch --tag py --dirty-mib 20,0,3 --mode=live,full --depths 2,1 --repeat 4"
                    + " --writer-mib-s 0 --json --out /elsewhere"))
        .isEqualTo(
            new BranchOptions(
                "py",
                List.of(0, 3, 20),
                List.of(BranchMode.LIVE, BranchMode.FULL),
                List.of(1, 2),
                4,
                0,
                true,
                Path.of("/elsewhere")));
  }

  @Test
  void hogsMayUseAQuarterOfTheMachineEachUnlessToldOtherwise() {
    assertThat(parse("hogs --tag py"))
        .isEqualTo(new HogsOptions("py", 200, Optional.of(0.5), false));
    assertThat(parse("hogs --tag py --evals 7 --cpus 1.25 --json"))
        .isEqualTo(new HogsOptions("py", 7, Optional.of(1.25), true));
    assertThat(parse("hogs --tag py --cpus 0"))
        .isEqualTo(new HogsOptions("py", 200, Optional.empty(), false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|'' is no benchmark: there are spawn, churn, branch, hogs, load, eval and files.",
        "boot --tag py|'boot' is no benchmark: there are spawn, churn, branch, hogs, load, eval and"
            + " files.",
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
        "branch|--tag is missing: name a snapshot, as `forkd images` lists them.",
        "branch --tag py --dirty-mib 0,x|--dirty-mib is 'x': use a number from 0 to 65536.",
        "branch --tag py --dirty-mib -1|--dirty-mib is '-1': use a number from 0 to 65536.",
        "branch --tag py --dirty-mib 1,,2|--dirty-mib is '1,,2': put one comma between two values"
            + " and none elsewhere.",
        "branch --tag py --dirty-mib 5,1,5|--dirty-mib has 5 twice.",
        "branch --tag py --mode fast|--mode has 'fast': use diff, live and full, with commas"
            + " between them.",
        "branch --tag py --mode live,live|--mode has live twice.",
        "branch --tag py --depths 17|--depths is '17': use a number from 0 to 16.",
        "branch --tag py --repeat 0|--repeat is '0': use a number from 1 to 1000.",
        "branch --tag py --writer-mib-s 5.5|--writer-mib-s is '5.5': use a number from 0 to 1000.",
        "branch --tag py --pool|bench branch has no option --pool.",
        "hogs --tag py --cpus half|--cpus is 'half': use a number such as 0.5; 0 means no limit.",
        "hogs --tag py --evals 0|--evals is '0': use a number from 1 to 1000000.",
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

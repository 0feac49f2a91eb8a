package io.forkd.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.client.BranchMode;
import io.forkd.client.ForkdClient;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BranchBenchTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  @TempDir private Path folder;
  private PretendDaemon daemon;

  @BeforeEach
  void start() throws Exception {
    daemon = PretendDaemon.start(folder);
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(daemon.living()).isEmpty();
    assertThat(daemon.family().branches()).isEmpty();
    daemon.close();
  }

  private BranchReport bench(String words) {
    List<String> args = List.of(("branch --tag py " + words).strip().split(" "));
    BranchOptions options = (BranchOptions) BenchOptions.parse(args, folder, 2);
    try (ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      Narrator narrator = new Narrator(new PrintStream(err, true, UTF_8));
      return new BranchBench(client, narrator, _ -> {}).run(options);
    }
  }

  private void assertAllWasTakenBack() {
    assertThat(err.toString(UTF_8)).doesNotContain("! removing").doesNotContain("! ending");
  }

  @Test
  void everyModeAndSizeIsMeasuredAsOftenAsAskedAndNothingStays() {
    daemon.pool(3);
    BranchReport report = bench("--dirty-mib 0,10 --mode diff,live --repeat 3");
    assertThat(report.failures()).isEmpty();
    assertThat(report.pauses())
        .extracting(PauseCell::name)
        .containsExactly("diff, 0 MiB", "diff, 10 MiB", "live, 0 MiB", "live, 10 MiB");
    assertThat(report.pauses())
        .allSatisfy(
            cell -> {
              assertThat(cell.pauseMs().count()).isEqualTo(3);
              assertThat(cell.callMs().count()).isEqualTo(3);
              assertThat(cell.copyMs().values()).containsOnly(20.0);
              assertThat(cell.deltaMib().values()).containsOnly(500.0);
            });
    assertThat(report.consecutive().orElseThrow().seriesMs())
        .extracting(Samples::count)
        .containsExactly(20, 20, 20, 20, 20);
    assertThat(report.fanOut().orElseThrow().children()).isEqualTo(5);
    assertThat(daemon.pool()).isEqualTo(3);
    assertAllWasTakenBack();
  }

  @Test
  void sizesTakeTurnsAndOnlyTheGuestThatIsBranchedWrites() {
    bench("--dirty-mib 5,10 --mode live --repeat 2");
    List<String> turns =
        daemon.family().codes().stream()
            .filter(code -> code.matches(".*\\.(write|rest)\\(.*"))
            .map(code -> code.replaceFirst("^(\\S+) .*\\.(\\w+)\\(.*", "$1 $2"))
            .limit(8)
            .toList();
    String small = turns.get(0).split(" ")[0];
    String large = turns.get(2).split(" ")[0];
    assertThat(small).isNotEqualTo(large);
    List<String> round =
        List.of(small + " write", small + " rest", large + " write", large + " rest");
    assertThat(turns.subList(0, 4)).isEqualTo(round);
    assertThat(turns.subList(4, 8)).isEqualTo(round);
  }

  @Test
  void theWriterWritesToWhatWasFilledAndAnEmptyGuestHasNone() {
    BranchReport report = bench("--dirty-mib 0,10 --mode live --repeat 1 --writer-mib-s 7");
    assertThat(report.pauses().get(0).writerMibS()).isEmpty();
    assertThat(report.pauses().get(1).writerMibS()).isPresent();
    assertThat(daemon.family().codes())
        .anyMatch(code -> code.endsWith("_forkd_bench.write(%d)".formatted(7 << 17)));
  }

  @Test
  void withoutAWriterNoneIsStarted() {
    BranchReport report = bench("--dirty-mib 10 --mode live --repeat 1 --writer-mib-s 0");
    assertThat(report.pauses().getFirst().writerMibS()).isEmpty();
    assertThat(daemon.family().codes()).noneMatch(code -> code.contains("_forkd_bench.write("));
  }

  @Test
  void aWriterThatDoesNotWriteFailsTheRow() {
    daemon.family().writersDie();
    BranchReport report = bench("--dirty-mib 10 --mode live --repeat 1");
    assertThat(report.pauses().getFirst().measured()).isFalse();
    assertThat(report.failures())
        .containsExactly(
            "live branches with 10 MiB changed: The guest did not write while it was branched.");
  }

  @Test
  void aSizeTheGuestHasNoRoomForIsSaidSoAndTheOthersAreMeasured() {
    daemon.family().availableMib(281);
    BranchReport report = bench("--dirty-mib 10,249,250 --mode diff --repeat 1");
    assertThat(report.failures()).isEmpty();
    assertThat(report.pauses()).extracting(PauseCell::measured).containsExactly(true, true, false);
    assertThat(report.pauses().getLast().missing())
        .contains("does not fit: 281 MiB are available in the guest and 32 stay free");
  }

  @Test
  void aModeTheHostCannotDoFailsItsRowsAlone() {
    daemon.family().modes(Set.of("diff"));
    BranchReport report = bench("--dirty-mib 10 --mode diff,live --repeat 1");
    assertThat(report.medians(BranchMode.DIFF)).hasSize(1);
    assertThat(report.medians(BranchMode.LIVE)).isEmpty();
    assertThat(report.failures())
        .satisfiesExactly(
            failure ->
                assertThat(failure)
                    .contains("A live branch was asked for and the daemon took a diff one."));
    assertThat(report.answered()).hasSize(3);
  }

  @Test
  void aDeltaWithoutAllThatWasWrittenFailsTheRow() {
    daemon.family().deltaBytes((50L << 20) - 1);
    BranchReport report = bench("--dirty-mib 10,50 --mode live --repeat 2");
    assertThat(report.pauses()).extracting(PauseCell::measured).containsExactly(true, false);
    assertThat(report.failures().getFirst()).contains("and the guest had written 50 MiB");
  }

  @Test
  void depthsAreMeasuredInTurnFromSandboxesThatEachWroteAnew() {
    BranchReport report = bench("--dirty-mib 10 --mode live --depths 0,1,3 --repeat 2");
    assertThat(report.answered()).extracting(Answered::depth).containsExactly(0, 1, 3);
    assertThat(report.answered()).extracting(Answered::chainDepth).containsExactly(1, 2, 4);
    assertThat(report.answered()).allSatisfy(it -> assertThat(it.wallMs().count()).isEqualTo(2));
    assertThat(daemon.family().sources())
        .containsExactly(
            "0×1", // warming up
            "0×1", "1×1", "2×1", // the chain
            "0×1", "1×1", "3×1", // not counted
            "0×1", "1×1", "3×1", "0×1", "1×1", "3×1", "0×5", "0×5", "0×5");
    assertThat(daemon.family().codes().stream().filter(code -> code.contains(".fill(")))
        .map(code -> code.replaceFirst("^\\S+ ", ""))
        .contains("_forkd_bench.fill(2)", "_forkd_bench.fill(3)", "_forkd_bench.fill(4)");
    assertAllWasTakenBack();
  }

  @Test
  void aDaemonThatRefusesLateLosesTheRestAndNothingElse() {
    int warmUps = 2;
    int counted = 2;
    daemon.family().refuseBranchAfter(warmUps + counted + 3);
    BranchReport report = bench("--dirty-mib 10 --mode live --repeat 2");
    assertThat(report.pauses().getFirst().measured()).isTrue();
    assertThat(report.answered()).isEmpty();
    assertThat(report.consecutive()).isEmpty();
    assertThat(report.fanOut()).isEmpty();
    assertThat(report.failures())
        .containsExactly(
            "depths: the host is full",
            "consecutive branches: the host is full",
            "fan-out: the host is full");
    assertAllWasTakenBack();
  }

  @Test
  void aBranchWhoseAnswerWasLostIsRemovedWithItsChildren() {
    int warmUps = 2;
    int counted = 1;
    daemon.family().hangUpAfterBranch(warmUps + counted + 2);
    BranchReport report = bench("--dirty-mib 10 --mode live --repeat 1");
    assertThat(report.answered()).isEmpty();
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().getFirst()).contains("got no complete answer");
    assertAllWasTakenBack();
  }

  @Test
  void aChildWithAWrongAnswerEndsTheBenchmarkBeforeAnythingIsMeasured() {
    daemon.answer("[1.0]");
    assertThatThrownBy(() -> bench("--dirty-mib 10 --mode live --repeat 1"))
        .hasMessageContaining("answered [1.0] to numpy.zeros(5).tolist()");
  }
}

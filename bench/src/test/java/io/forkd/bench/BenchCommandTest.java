package io.forkd.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forkd.client.ForkdClient;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  @TempDir private Path folder;
  private PretendDaemon daemon;

  @BeforeEach
  void start() throws Exception {
    daemon = PretendDaemon.start(folder);
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private int bench(String line) {
    return BenchCommand.run(
        List.of(line.split(" ")),
        () -> ForkdClient.connect(daemon.endpoint()),
        folder.resolve("results"),
        new PrintStream(out, true, UTF_8),
        new PrintStream(err, true, UTF_8));
  }

  @Test
  void spawnMeasuresForksWithAndWithoutAPoolAndLeavesNothingChanged() throws Exception {
    daemon.pool(7);
    assertThat(bench("spawn --tag py --n 3 --pool --measured 2")).as(err.toString(UTF_8)).isZero();
    assertThat(out.toString(UTF_8))
        .contains("forkd, forked on request")
        .contains("forkd, from a warm pool: 3 of 3 from the pool");
    assertThat(daemon.living()).isEmpty();
    assertThat(daemon.pool()).isEqualTo(7);
    assertThat(daemon.poolSizes()).containsExactly(0, 3, 0, 7);
    try (Stream<Path> written = Files.list(folder.resolve("results"))) {
      assertThat(written.map(file -> file.getFileName().toString()).sorted())
          .satisfiesExactly(
              json -> assertThat(json).matches("\\d{4}-\\d\\d-\\d\\d-spawn-x86_64\\.json"),
              svg -> assertThat(svg).matches("\\d{4}-\\d\\d-\\d\\d-spawn-x86_64\\.svg"));
    }
  }

  @Test
  void jsonGoesToStandardOutputAloneAndTellsWhatRestoringCost() {
    daemon.tellRestored();
    assertThat(bench("spawn --tag py --n 2 --json")).isZero();
    JsonObject json = Json.parseObject(out.toString(UTF_8).strip());
    assertThat(
            json.object("restored").orElseThrow().object("cpu_ms").orElseThrow().texts("samples"))
        .containsExactly("41.5", "41.5");
  }

  @Test
  void aWrongAnswerFailsTheBenchmarkAndEndsTheChildren() {
    daemon.answer("[1.0]");
    assertThat(bench("spawn --tag py --n 3")).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("answered [1.0] to numpy.zeros(5).tolist()");
    assertThat(daemon.living()).isEmpty();
  }

  @Test
  void aSnapshotThatIsNotThereIsNamedWithWhatToDo() {
    assertThat(bench("spawn --tag nope")).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("There is no snapshot 'nope'. Next: `forkd images`");
  }

  @Test
  void peersOfASnapshotWhoseFilesAreGoneFailWithTheReasonAfterCleaningUp() {
    assertThat(bench("spawn --tag py --n 1 --peers")).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("manifest.json cannot be read");
    assertThat(daemon.living()).isEmpty();
  }

  @Test
  void churnForksAndKillsOneAtATimeAndComparesWhatIsThere() {
    daemon.pool(2);
    assertThat(bench("churn --tag py --n 4")).as(err.toString(UTF_8)).isZero();
    assertThat(out.toString(UTF_8))
        .contains("4 forks and kills")
        .contains("p99 of the last ÷ first")
        .contains("vm_processes")
        .contains("Nothing was left behind.");
    assertThat(daemon.living()).isEmpty();
    assertThat(daemon.mostLiving()).isEqualTo(1);
    assertThat(daemon.pool()).isEqualTo(2);
  }

  @Test
  void loadAsksWithManyClientsAndCountsWhatWentWrong() {
    assertThat(bench("load --tag py --clients 5 --secs 1 --sandboxes 2"))
        .as(err.toString(UTF_8))
        .isZero();
    assertThat(out.toString(UTF_8)).contains("5 clients asked 2 sandboxes").contains("No errors.");
    assertThat(daemon.living()).isEmpty();
  }

  @Test
  void evalSplitsEachAnswersTimeIntoTheAgentsAndTheRest() {
    assertThat(bench("eval --tag py --n 5 --json")).as(err.toString(UTF_8)).isZero();
    JsonObject json = Json.parseObject(out.toString(UTF_8).strip());
    assertThat(json.object("agent_ms").orElseThrow().optionalDecimal("p50")).contains(0.001);
    List<String> rest = json.object("rest_ms").orElseThrow().texts("samples");
    List<String> added = json.object("added_ms").orElseThrow().texts("samples");
    assertThat(rest).hasSize(5);
    for (int i = 0; i < rest.size(); i++) {
      assertThat(Double.parseDouble(rest.get(i)) - Double.parseDouble(added.get(i)))
          .isCloseTo(0.001, within(0.0015));
    }
    assertThat(daemon.living()).isEmpty();
    out.reset();
    assertThat(bench("eval --tag py --n 5")).isZero();
    assertThat(out.toString(UTF_8)).contains("of it the agent").contains("at most 3 ms added");
  }

  @Test
  void evalNeedsADaemonThatTellsTheAgentsTime() {
    daemon.tellNoTiming();
    assertThat(bench("eval --tag py --n 1")).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("does not tell").contains("Next:");
    assertThat(daemon.living()).isEmpty();
  }

  @Test
  void filesComparesWhatWasSentWithWhatCameBack() {
    assertThat(bench("files --tag py --mib 3 --json")).as(err.toString(UTF_8)).isZero();
    JsonObject json = Json.parseObject(out.toString(UTF_8).strip());
    assertThat(json.text("sha256_sent")).hasSize(64).isEqualTo(json.text("sha256_fetched"));
    assertThat(json.flag("intact")).isTrue();
    assertThat(json.number("daemon_heap_peak_bytes")).isEqualTo(100 << 20);
    daemon.spoilFiles();
    out.reset();
    assertThat(bench("files --tag py --mib 3")).isEqualTo(1);
    assertThat(out.toString(UTF_8)).contains("DIFFERENT").contains("heap at most 100 MiB");
    assertThat(daemon.living()).isEmpty();
  }

  @Test
  void aFileThatDoesNotFitIsRefusedWithWhatWouldDo() {
    assertThat(bench("files --tag py --mib 1024")).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("has 512 MiB").contains("--memory-mib 2304");
    assertThat(daemon.mostLiving()).isZero();
  }

  @Test
  void branchWritesItsReportAndItsChartAndLeavesNothing() throws Exception {
    assertThat(bench("branch --tag py --dirty-mib 10,20 --mode live --depths 0 --repeat 1"))
        .as(err.toString(UTF_8))
        .isZero();
    assertThat(out.toString(UTF_8))
        .containsPattern("live, 10 MiB +[0-9.]+ ms")
        .contains("reported by forkd (Rust), other machine");
    assertThat(daemon.living()).isEmpty();
    assertThat(daemon.family().branches()).isEmpty();
    try (Stream<Path> written = Files.list(folder.resolve("results"))) {
      assertThat(written.map(file -> file.getFileName().toString()).sorted())
          .satisfiesExactly(
              json -> assertThat(json).matches("\\d{4}-\\d\\d-\\d\\d-branch-x86_64\\.json"),
              svg -> assertThat(svg).matches("\\d{4}-\\d\\d-\\d\\d-branch-x86_64\\.svg"));
    }
  }

  @Test
  void aBranchThatFailsIsToldInTheReportAndByTheExitCode() {
    daemon.family().modes(java.util.Set.of("diff"));
    assertThat(bench("branch --tag py --dirty-mib 10 --mode live --depths 0 --repeat 1 --json"))
        .isEqualTo(1);
    JsonObject json = Json.parseObject(out.toString(UTF_8).strip());
    assertThat(json.texts("failures")).hasSize(1);
    assertThat(json.objects("pauses").getFirst().text("missing")).isEqualTo("failed, see below");
    assertThat(json.objects("branch_to_answer")).hasSize(1);
  }

  @Test
  void whatMakesNoSenseIsRefusedBeforeADaemonIsAskedFor() {
    int code =
        BenchCommand.run(
            List.of("spawn"),
            () -> {
              throw new AssertionError("asked for a daemon");
            },
            folder,
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8));
    assertThat(code).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains("--tag is missing").contains("Usage: forkd bench");
    assertThat(bench("--help")).isZero();
    assertThat(out.toString(UTF_8)).isEqualTo(BenchCommand.usage());
  }
}

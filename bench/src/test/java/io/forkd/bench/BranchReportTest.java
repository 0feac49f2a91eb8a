package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forkd.client.BranchMode;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class BranchReportTest {
  private static final PauseCell TOO_LARGE =
      PauseCell.missing(BranchMode.LIVE, 900, "does not fit: 400 MiB are available");

  private static PauseCell cell(BranchMode mode, int mib, double... pauses) {
    Samples samples = Samples.of(java.util.Arrays.stream(pauses).boxed().toList());
    return new PauseCell(
        mode,
        mib,
        samples,
        Samples.of(List.of(70.5)),
        Samples.of(List.of(mib + 2.5)),
        Samples.of(List.of(120.0)),
        Optional.of(4.96),
        Optional.empty());
  }

  private static Answered answered(int depth, int children, double wall) {
    Samples samples = Samples.of(List.of(wall, wall, wall + 50));
    return new Answered(depth, depth + 1, children, samples, samples, Samples.of(List.of(5.0)));
  }

  private static BranchReport report(List<PauseCell> cells, List<Answered> answered) {
    return new BranchReport(
        Reports.machine(),
        new BranchOptions(
            "py",
            List.of(0, 10, 250, 900),
            List.of(BranchMode.DIFF, BranchMode.LIVE),
            List.of(0, 1, 3),
            3,
            5,
            false,
            Path.of("/results")),
        812.5,
        cells,
        answered,
        Optional.of(new Consecutive("live", 10, List.of(Samples.of(List.of(5.0, 6.0, 8.0))))),
        Optional.of(answered(0, 5, 900)),
        List.of());
  }

  private static BranchReport full() {
    return report(
        List.of(
            cell(BranchMode.DIFF, 0, 4, 4, 5),
            cell(BranchMode.LIVE, 0, 11, 11, 12),
            cell(BranchMode.DIFF, 10, 6, 6, 7),
            cell(BranchMode.LIVE, 10, 4, 5, 6),
            cell(BranchMode.DIFF, 250, 54, 54, 70),
            cell(BranchMode.LIVE, 250, 7, 8, 60),
            TOO_LARGE),
        List.of(answered(0, 1, 190), answered(1, 1, 200), answered(3, 1, 240)));
  }

  private static Goal goal(BranchReport report, String name) {
    return report.goals().stream()
        .filter(goal -> goal.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aLivePauseIsJudgedByItsWorstSizeAndItsFlatnessFromTenMebibytesOn() {
    BranchReport report = full();
    assertThat(goal(report, "live_pause_ms").measured()).contains(11.0);
    assertThat(goal(report, "live_pause_ms").met()).contains(false);
    assertThat(goal(report, "live_flatness").measured()).contains(1.6);
    assertThat(goal(report, "live_flatness").met()).contains(true);
    assertThat(goal(report, "live_flatness").what()).isEqualTo("live: p50 at 250 MiB ÷ at 10 MiB");
  }

  @Test
  void aDiffIsJudgedByTheSlopeOfItsMedians() {
    assertThat(goal(full(), "diff_ms_per_mib").measured().orElseThrow())
        .isCloseTo(0.2, within(1e-9));
  }

  @Test
  void theDeepestIsComparedWithDepthOne() {
    assertThat(goal(full(), "depth_ratio").measured()).contains(1.2);
    assertThat(goal(full(), "depth_ratio").met()).contains(false);
  }

  @Test
  void whatWasNotMeasuredIsNeitherMetNorMissed() {
    BranchReport report = report(List.of(TOO_LARGE), List.of(answered(0, 1, 5)));
    for (String name :
        List.of("live_pause_ms", "live_flatness", "diff_ms_per_mib", "depth_ratio")) {
      assertThat(goal(report, name).met()).as(name).isEmpty();
    }
    assertThat(BranchText.of(report)).contains("not measured");
  }

  @Test
  void theTableHasARowPerMeasurementAndSaysWhatOthersReport() {
    assertThat(BranchText.of(full()))
        .containsPattern(
            "live, 250 MiB +8.0 ms +60.0 ms +7.0 ms +60.0 ms +70.5 ms +252.5 MiB +120 ms +4.96 MiB/s")
        .containsPattern("one child, depth 3 +240 ms +290 ms")
        .containsPattern("all of 5, depth 0 +900 ms")
        .contains("live, 900 MiB: does not fit: 400 MiB are available")
        .contains("(live, 10 MiB), median of 1 sandboxes: first 5.0 ms, last 8.0 ms")
        .containsPattern("one sandbox, many branches: last pause ÷ first +1.60× +1.50× +missed")
        .containsPattern("live: the largest p50 .* 56 ms")
        .containsPattern("diff: growth .* 150–200 ms a branch")
        .containsPattern("first answer: depth 3 ÷ depth 1 .* 751 → 1668 ms");
  }

  @Test
  void theJsonHoldsEverySampleAndEveryGoal() {
    JsonObject json = Json.parseObject(PrettyJson.of(BranchJson.of(full())));
    assertThat(json.objects("pauses").get(3).object("pause_ms").orElseThrow().texts("samples"))
        .containsExactly("4.0", "5.0", "6.0");
    assertThat(json.objects("pauses").getLast().text("missing")).startsWith("does not fit");
    assertThat(json.objects("branch_to_answer").getLast().integer("chain_depth")).isEqualTo(4);
    assertThat(json.objects("goals").getFirst().toString())
        .isEqualTo(
            "{\"name\":\"live_pause_ms\",\"measured\":11.0,\"at_most\":10.0,\"unit\":\"ms\",\"met\":false}");
  }

  @Test
  void theChartIsWellFormedAndHasABarForEveryMeasurement() throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(BranchChart.of(full()).getBytes(StandardCharsets.UTF_8)));
    int background = 1;
    int pauses = 6;
    int answers = 4;
    assertThat(document.getElementsByTagName("rect").getLength())
        .isEqualTo(background + pauses + answers);
    assertThat(document.getDocumentElement().getTextContent())
        .contains("live, 900 MiB: does not fit")
        .contains("CPU <A&B> \"fast\"");
  }
}

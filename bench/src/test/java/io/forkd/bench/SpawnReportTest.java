package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

class SpawnReportTest {
  @Test
  void ratiosAreToCrunForTheSameNumberOfWorkloads() {
    SpawnReport report = Reports.full();
    assertThat(report.results().stream().map(report::ratio).map(it -> it.orElse(-1.0)))
        .usingElementComparator((a, b) -> Math.abs(a - b) < 1e-9 ? 0 : 1)
        .containsExactly(2.0, 0.2, 1.0, 8.0, 36.0);
  }

  @Test
  void fewerRunsThanAskedForAreMarkedAsExtrapolated() {
    String text = SpawnText.of(Reports.full());
    assertThat(text).contains("~8.00 s").contains("~8.0×").contains("~36.00 s").contains("~36×");
    assertThat(text).contains("~ extrapolated from fewer runs, not measured");
    assertThat(SpawnText.of(Reports.withoutPeers())).doesNotContain("~");
  }

  @Test
  void withoutCrunThereIsNoRatioAndTheTableSaysHowToGetIt() {
    SpawnReport report = Reports.withMissingPeer();
    assertThat(report.ratio(report.results().getFirst())).isEmpty();
    assertThat(SpawnText.of(report))
        .contains("missing")
        .contains("crun: not installed; next: apt-get install crun");
  }

  @Test
  void theTableTellsWhatRestoredAndParkedChildrenCost() {
    assertThat(SpawnText.of(Reports.full()))
        .containsPattern("restored, not run +40.5 ms +20.0 MiB +0 KiB")
        .containsPattern("parked in the pool +300 ms +32.2 MiB +2.1 MiB")
        .contains("A remark on runsc.");
  }

  @Test
  void aDaemonThatDoesNotTellWhatRestoringCostIsSaidNotToReportIt() {
    SpawnReport told = Reports.withoutPeers();
    SpawnReport report =
        new SpawnReport(
            told.machine(),
            told.options(),
            1,
            java.util.Optional.empty(),
            java.util.Optional.empty(),
            java.util.List.of(),
            told.results());
    assertThat(SpawnText.of(report)).containsPattern("restored, not run +not reported");
  }

  @Test
  void theJsonHoldsEverySampleAndTheMachine() {
    JsonObject json = Json.parseObject(PrettyJson.of(SpawnJson.of(Reports.full())));
    assertThat(json.object("machine").orElseThrow().text("load_before"))
        .isEqualTo("1.00 2.00 3.00");
    assertThat(json.toString())
        .contains("\"samples\":[10.0,20.0,30.0,40.0]")
        .contains("\"total_is_extrapolated\":true")
        .contains("\"ratio_to_crun\":0.2")
        .contains("\"guest_ram_kib\":{\"count\":2,\"p50\":0.0,\"p99\":4.0,\"mean\":2.0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "missing", "alone"})
  void theChartIsWellFormedAndHasABarForEveryMeasurement(String which) throws Exception {
    SpawnReport report =
        switch (which) {
          case "full" -> Reports.full();
          case "missing" -> Reports.withMissingPeer();
          default -> Reports.withoutPeers();
        };
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(SpawnChart.of(report).getBytes(StandardCharsets.UTF_8)));
    long measured = report.results().stream().filter(Result::measured).count();
    int background = 1;
    assertThat((long) document.getElementsByTagName("rect").getLength())
        .isEqualTo(background + 2 * measured);
    assertThat(document.getDocumentElement().getTextContent()).contains("CPU <A&B> \"fast\"");
  }

  @Test
  void aTotalForMoreRunsGrowsInProportion() {
    assertThat(Reports.peer("x", 2, 100).totalMs(10)).isCloseTo(500, within(1e-9));
  }
}

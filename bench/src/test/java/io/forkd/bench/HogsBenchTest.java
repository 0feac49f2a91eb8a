package io.forkd.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.ForkdClient;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HogsBenchTest {
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
    daemon.close();
  }

  private HogsReport bench(int faster) {
    try (ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      Narrator narrator = new Narrator(new PrintStream(err, true, UTF_8));
      return new HogsBench(client, narrator, time -> Settling.pause(time.dividedBy(faster)))
          .run(new HogsOptions("py", 3, Optional.of(0.5), false));
    }
  }

  @Test
  void everyHogIsMeasuredAloneAndWithTheOthersAndAllAreEnded() {
    daemon.pool(4);
    HogsReport report = bench(1000);
    assertThat(report.failures()).isEmpty();
    assertThat(report.rows())
        .extracting(HogRow::name)
        .containsExactly("fork_bomb", "memory_hog", "disk_hog", "all_in_one", "all_apart");
    assertThat(report.rows())
        .allSatisfy(
            row -> {
              assertThat(row.loudMs().count()).isEqualTo(3);
              assertThat(row.quietMs().count()).as("before and after").isEqualTo(6);
            });
    assertThat(daemon.mostLiving()).as("the one that is asked, and three hogs").isEqualTo(4);
    assertThat(daemon.pool()).isEqualTo(4);
  }

  @Test
  void aHogThatEndsByItselfIsAFailure() {
    daemon.programsEndAtOnce();
    assertThat(bench(4).failures())
        .contains("a fork bomb: the fork bomb ended with 137")
        .hasSize(1 + 1 + 1 + 3 + 3);
  }

  @Test
  void theGoalIsTwiceTheTimeAtMost() {
    Samples quiet = new Samples(List.of(2.0, 2.0, 9.0));
    HogRow met = new HogRow("a", "an a", quiet, new Samples(List.of(4.0)));
    HogRow missed = new HogRow("b", "a b", quiet, new Samples(List.of(4.1)));
    HogsReport report =
        new HogsReport(
            Reports.machine(),
            new HogsOptions("py", 3, Optional.empty(), true),
            List.of(met, missed),
            List.of());
    assertThat(report.goals())
        .extracting(Goal::met)
        .containsExactly(Optional.of(true), Optional.of(false));
    assertThat(report.text())
        .contains("2.00×")
        .contains("met")
        .contains("2.05×")
        .contains("missed");
    assertThat(PrettyJson.of(report.json()))
        .contains("\"name\" : \"a_to_quiet\"")
        .contains("\"met\" : false");
  }
}

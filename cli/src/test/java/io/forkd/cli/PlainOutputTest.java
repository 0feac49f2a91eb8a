package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainOutputTest {
  @TempDir Path folder = Path.of("/");

  @Test
  void columnsAreAsWideAsWhatTheyHold() throws IOException {
    try (TestContext test = new TestContext()) {
      new Table("NAME", ">SIZE")
          .row("a", 1)
          .row("long name", 1000)
          .print(test.with(Map.of()).terminal());
      assertThat(test.out()).isEqualTo("NAME       SIZE\na             1\nlong name  1000\n");
    }
  }

  @Test
  void sizesAndTimesAreRoundedForPeople() {
    assertThat(Units.bytes(512)).isEqualTo("512 B");
    assertThat(Units.bytes(1536)).isEqualTo("1.5 KiB");
    assertThat(Units.bytes(200L << 20)).isEqualTo("200 MiB");
    assertThat(Units.millis(12.34)).isEqualTo("12.3 ms");
    assertThat(Units.millis(1234)).isEqualTo("1234 ms");
    assertThat(Units.millis(12_340)).isEqualTo("12.3 s");
    assertThat(Units.age(Duration.ofMinutes(90))).isEqualTo("90 min");
    assertThat(Units.age(Duration.ofSeconds(-5))).isEqualTo("0 s");
  }

  @Test
  void percentilesTakeTheNearestRank() {
    double[] values = {5, 1, 4, 2, 3};
    assertThat(Children.percentile(values, 0.5)).isEqualTo(3);
    assertThat(Children.percentile(values, 0.99)).isEqualTo(5);
    assertThat(Children.percentile(new double[0], 0.5)).isNaN();
  }

  @Test
  void shortStepsStaySilentAndTheirTimeIsKept() throws IOException {
    try (TestContext test = new TestContext();
        Steps steps = new Steps(test.with(Map.of()).terminal())) {
      steps.begin("one", "First");
      steps.begin("two", "Second");
      assertThat(steps.seconds()).containsOnlyKeys("one", "two");
      assertThat(test.err()).isEmpty();
    }
  }

  @Test
  void aPackageListNamesWhatThisMachineNeeds() throws IOException {
    Path list = folder.resolve("list");
    Files.writeString(
        list, "# comment\n\nplain # why\nonly-intel [amd64]\nonly-arm [arm64] # why\n");
    String own = Host.arch().equals("x86_64") ? "only-intel" : "only-arm";
    assertThat(Packages.needed(list)).isEqualTo(List.of("plain", own));
  }

  @Test
  void theListsThatAreShippedCanBeRead() {
    for (String name : List.of("packages-run", "packages-build", "packages-test")) {
      assertThat(Packages.needed(TestContext.home().resolve("packaging").resolve(name)))
          .isNotEmpty()
          .allMatch(word -> word.matches("[a-z0-9][a-z0-9+.-]+"));
    }
  }

  @Test
  void theEndOfALogIsReadFromWhereItWasAsked() throws IOException {
    Path log = folder.resolve("log");
    Files.writeString(log, "one\ntwo\nthree\n");
    assertThat(LogTail.lines(log, 2, 0)).containsExactly("two", "three");
    assertThat(LogTail.lines(log, 9, 8)).containsExactly("three");
    assertThat(LogTail.lines(folder.resolve("none"), 9, 0)).isEmpty();
  }

  @Test
  void smallKernelFilesAreReadWhole() {
    assertThat(Host.read("/proc/sys/kernel/pid_max").orElseThrow()).matches("[0-9]{4,}");
    assertThat(Host.read("/proc/no/such/file")).isEmpty();
    assertThat(ChildMemory.ofProcess(ProcessHandle.current().pid())).isGreaterThan(1 << 20);
  }
}

package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Samples;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiffReportTest {
  private static final String MOTD =
      """
      {"path":"/etc/motd","change":"changed","type":"file","size_a":6,"size_b":12,"what":["content","mode"],\
      "lines_added":2,"lines_removed":1,"unified":"@@ -1 +1,2 @@\\n-old\\n+new\\n+er\\n"}\
      """;
  private static final String BLOB =
      """
      {"path":"/var/blob","change":"changed","type":"file","size_a":1024,"size_b":2048,"what":["content"]}\
      """;
  private static final String GONE =
      """
      {"path":"/etc/gone","change":"removed","type":"file","size_a":4,"lines_removed":1,"unified":"@@ -1 +0,0 @@\\n-x\\n"}\
      """;
  private static final String FOLDER =
      """
      {"path":"/srv","change":"added","type":"directory"}\
      """;

  @Test
  void textIsShownAsAUnifiedDiffAndTheRestInALineEach() {
    assertThat(report(false, MOTD, BLOB, GONE, FOLDER).changes())
        .containsExactly(
            "changed /etc/motd (file, content, mode, 6 B → 12 B)",
            "--- a/etc/motd",
            "+++ b/etc/motd",
            "@@ -1 +1,2 @@",
            "-old",
            "+new",
            "+er",
            "changed /var/blob (file, content, 1.0 KiB → 2.0 KiB)",
            "removed /etc/gone (file, 4 B)",
            "--- a/etc/gone",
            "+++ /dev/null",
            "@@ -1 +0,0 @@",
            "-x",
            "added /srv (directory)");
  }

  @Test
  void aHeadThatIsThereIsNotRepeated() {
    String change =
        "{\"path\":\"/x\",\"change\":\"added\",\"type\":\"file\",\"unified\":\"--- /dev/null\\n"
            + "+++ b/x\\n"
            + "@@ -0,0 +1 @@\\n"
            + "+x\"}";
    assertThat(report(false, change).changes())
        .containsExactly("added /x (file)", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+x");
  }

  @Test
  void statisticsCountLinesOrSayWhatElseChanged() {
    assertThat(report(false, MOTD, BLOB, GONE, FOLDER).statistics())
        .containsExactly(
            "/etc/motd | +2 -1",
            "/var/blob | changed (file, content, 1.0 KiB → 2.0 KiB)",
            "/etc/gone | +0 -1 (removed)",
            "/srv      | added (directory)");
  }

  @Test
  void theSummaryTellsFilesPagesAndProcesses() {
    assertThat(report(false, MOTD, BLOB, GONE, FOLDER).summary())
        .containsExactly(
            "- process 40 cron, only in base",
            "+ process 41 sleep, only in b1",
            "Files: 1 added, 2 changed, 1 removed. Memory: 512 of 131072 pages differ (2.0 MiB)."
                + " Processes: 5 in base, 5 in b1.");
  }

  @Test
  void coloursAreForTerminalsOnly() {
    assertThat(report(true, MOTD).changes())
        .contains("\u001b[31m-old\u001b[0m", "\u001b[32m+new\u001b[0m");
  }

  @Test
  void aGuestCannotSteerTheTerminal() {
    String change =
        "{\"path\":\"/a\\u001b[2J\\nb\",\"change\":\"changed\",\"type\":\"file\",\"lines_added\":1,"
            + "\"unified\":\"@@ -1 +1 @@\\n+\\u001b]0;owned\\u0007\\tx\\u202e\\r\\n\"}";
    assertThat(report(false, change).changes())
        .contains("--- a/a^[[2J^Jb", "+^[]0;owned^G\tx\\u202e^M")
        .noneMatch(line -> line.contains("\u001b"));
    assertThat(report(false, change).statistics()).containsExactly("/a^[[2J^Jb | +1 -0");
  }

  private static DiffReport report(boolean colour, String... files) {
    String json =
        """
        {"a":"base","b":"b1","files":[%s],"pages":{"total":131072,"compared":600,"differing":512,"page_bytes":4096},
        "processes":{"in_a":5,"in_b":5,"only_a":["40 cron"],"only_b":["41 sleep"]}}\
        """
            .formatted(String.join(",", List.of(files)));
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return new DiffReport(
        Samples.comparison(json),
        new Terminal(
            nowhere, nowhere, new ByteArrayInputStream(new byte[0]), false, false, colour, false));
  }
}

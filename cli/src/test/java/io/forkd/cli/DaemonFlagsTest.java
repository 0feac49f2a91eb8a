package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

@Timeout(60)
class DaemonFlagsTest {
  private static final Pattern OPTION = Pattern.compile("(?m)^  (--[a-z-]+)( |$)");

  private static CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    DaemonFlags.addTo(spec);
    return spec;
  }

  @Test
  void everythingTheDaemonCanBeToldCanBePassedOn() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.forkd.server.DaemonMain",
                "--help")
            .redirectErrorStream(true)
            .start();
    String help = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(help).isZero();
    Set<String> known =
        OPTION
            .matcher(help)
            .results()
            .map((MatchResult found) -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    // Where the daemon is, the command line decides.
    known.removeAll(Set.of("--socket", "--recipes"));
    assertThat(spec().options())
        .extracting(CommandLine.Model.OptionSpec::longestName)
        .containsExactlyInAnyOrderElementsOf(known);
  }

  @Test
  void whatIsSaidIsPassedOnAndNothingElse() {
    CommandLine line = new CommandLine(spec());
    assertThat(
            DaemonFlags.of(
                line.parseArgs(
                    "--no-network", "--token-file", "t", "--max-sandboxes=5", "--listen", "x:1")))
        .isEqualTo(
            List.of(
                "--listen",
                "x:1",
                "--token-file",
                Path.of("t").toAbsolutePath().toString(),
                "--max-sandboxes",
                "5",
                "--no-network"));
    assertThat(DaemonFlags.of(line.parseArgs())).isEmpty();
  }
}

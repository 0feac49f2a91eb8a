package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ExecTest {
  @RegisterExtension final RunningAgent guest = new RunningAgent(HostAgent::start);

  @Test
  void keepsStdoutAndStderrApartAndReportsTheExitCode() {
    ExecResult result = sh("echo out; echo err >&2; exit 3");
    assertThat(result).isEqualTo(new ExecResult("out\n", "err\n", 3, false, false));
  }

  @Test
  void reportsASignalAsAShellWould() {
    assertThat(sh("kill -TERM $$").exitCode()).isEqualTo(128 + 15);
  }

  @Test
  void givesTheAgentsEnvironmentToAllThatIsStartedLater() {
    guest.agent().setEnvironment(Map.of("FLAVOUR", "a=b c", "EMPTY", ""), PATIENCE);
    assertThat(sh("echo \"$FLAVOUR|$EMPTY|${EMPTY+set}\"").stdout()).isEqualTo("a=b c||set\n");
  }

  @Test
  void refusesVariablesThatAreNone() {
    assertThatThrownBy(() -> guest.agent().setEnvironment(Map.of("", "x"), PATIENCE))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("environment");
    assertThat(sh("echo fine").stdout()).isEqualTo("fine\n");
  }

  @Test
  void saysWhichProgramIsMissing() {
    ExecResult result = guest.agent().exec(ExecRequest.of(List.of("no-such-program"), PATIENCE));
    assertThat(result.exitCode()).isEqualTo(127);
    assertThat(result.stderr()).contains("no-such-program").contains("No such file");
  }

  @Test
  void saysThatAFileCannotBeRun() {
    ExecResult result = guest.agent().exec(ExecRequest.of(List.of("/etc/passwd"), PATIENCE));
    assertThat(result.exitCode()).isEqualTo(126);
    assertThat(result.stderr()).contains("/etc/passwd").contains("Permission denied");
  }

  @Test
  void runsInTheFolderAndEnvironmentItIsGiven() {
    ExecResult result =
        guest.agent().exec(request(List.of("sh", "-c", "pwd; echo $GREETING"), "hi", "/usr"));
    assertThat(result.stdout()).isEqualTo("/usr\nhi\n");
  }

  @Test
  void saysThatAFolderIsMissing() {
    ExecResult result = guest.agent().exec(request(List.of("true"), "", "/no/such/folder"));
    assertThat(result.exitCode()).isEqualTo(127);
    assertThat(result.stderr()).contains("/no/such/folder");
  }

  @Test
  void carriesMegabytesThroughAProcessBothWays() {
    byte[] input = "0123456789abcdef".repeat(256 * 1024).getBytes(StandardCharsets.UTF_8);
    ExecResult result =
        guest
            .agent()
            .exec(
                new ExecRequest(
                    List.of("cat"), Map.of(), Optional.empty(), input, PATIENCE, 16 << 20));
    assertThat(result.stdout()).isEqualTo(new String(input, StandardCharsets.UTF_8));
    assertThat(result.truncated()).isFalse();
  }

  @Test
  void survivesAProcessThatDoesNotReadItsInput() {
    byte[] input = new byte[4 << 20];
    ExecResult result =
        guest
            .agent()
            .exec(
                new ExecRequest(
                    List.of("true"), Map.of(), Optional.empty(), input, PATIENCE, 1024));
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void dropsOutputBeyondTheLimitButLetsTheProcessEnd() {
    ExecResult result =
        guest
            .agent()
            .exec(
                new ExecRequest(
                    List.of("sh", "-c", "head -c 8000000 /dev/zero; echo done >&2; exit 4"),
                    Map.of(),
                    Optional.empty(),
                    new byte[0],
                    PATIENCE,
                    1000));
    assertThat(result.stdout()).hasSize(1000);
    assertThat(result.truncated()).isTrue();
    assertThat(result.exitCode()).isEqualTo(4);
  }

  @Test
  void killsTheWholeGroupWhenTimeIsUp() {
    ExecRequest request =
        ExecRequest.of(
            List.of("sh", "-c", "sleep 1000 & echo $!; echo started; wait"), Duration.ofSeconds(1));
    ExecResult result = guest.agent().exec(request);
    assertThat(result.timedOut()).isTrue();
    assertThat(result.exitCode()).isEqualTo(128 + 9);
    assertThat(result.stdout()).endsWith("started\n");
    Path sleeper = Path.of("/proc", result.stdout().lines().findFirst().orElseThrow(), "cmdline");
    awaitGone(sleeper);
  }

  @Test
  void doesNotWaitForAProcessLeftInTheBackground() {
    ExecResult result = sh("sleep 1000 & echo $!");
    assertThat(result.exitCode()).isZero();
    assertThat(sh("kill " + result.stdout()).exitCode()).isZero();
  }

  @Test
  void doesNotWaitForABackgroundWriterThatNeverStops() {
    ExecResult result = sh("yes & echo $!");
    assertThat(result.exitCode()).isZero();
    assertThat(result.timedOut()).isFalse();
    String pid =
        result.stdout().lines().filter(line -> !line.equals("y")).findFirst().orElseThrow();
    awaitGone(Path.of("/proc", pid.replaceAll("[^0-9]", ""), "cmdline"));
  }

  @Test
  void runsFiftyAtOnce() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<ExecResult>> results = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        String command = "head -c 100000 /dev/zero; echo %d >&2; exit %d".formatted(i, i);
        results.add(threads.submit(() -> sh(command)));
      }
      for (int i = 0; i < 50; i++) {
        ExecResult result = results.get(i).get();
        assertThat(result.exitCode()).isEqualTo(i);
        assertThat(result.stderr()).isEqualTo(i + "\n");
        assertThat(result.stdout()).hasSize(100_000);
      }
    }
  }

  @Test
  void refusesArgumentsThatFitNoFrame() {
    List<String> args = List.of("echo", "x".repeat(70_000));
    assertThatThrownBy(() -> guest.agent().exec(ExecRequest.of(args, PATIENCE)))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("stdin or in a file");
    assertThat(guest.agent().ping(PATIENCE).pid()).isPositive();
  }

  private ExecResult sh(String command) {
    return guest.agent().exec(ExecRequest.of(List.of("sh", "-c", command), PATIENCE));
  }

  private static ExecRequest request(List<String> args, String greeting, String cwd) {
    return new ExecRequest(
        args, Map.of("GREETING", greeting), Optional.of(cwd), new byte[0], PATIENCE, 1 << 20);
  }

  private static void awaitGone(Path cmdline) {
    Deadline deadline = Deadline.in(PATIENCE);
    while (cmdline.toFile().exists()) {
      assertThat(deadline.passed()).as("%s still runs", cmdline).isFalse();
      HostAgent.sleep();
    }
  }
}
